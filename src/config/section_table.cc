#include "config/section_table.h"

#include "config/field_value.h"

namespace ebb::config {

int GivenKeys::LineOf(std::string_view key) const {
  const auto found = lines_.find(key);
  return found == lines_.end() ? 0 : found->second;
}

bool ReadAndSet(const core::Field& field, const YamlNode& node, Problems& problems,
                const std::function<Status(const core::OptionValue&)>& set) {
  const auto value = ReadFieldValue(field, node, problems);
  if (!value) return false;
  const Status done = set(*value);
  if (!done) problems.Add(node.line, RefusalText(field.key, done.error()));
  return done.has_value();
}

std::string RefusalText(const std::string& key, const Error& error) {
  std::string text = key + ": " + error.what;
  if (!error.what.empty() && !error.next.empty()) text += ": ";
  return text + error.next;
}

}  // namespace ebb::config
