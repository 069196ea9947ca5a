#include "config/job_option_rules.h"

#include "config/field_value.h"

namespace ebb::config {

std::vector<KeyRule> JobOptionKeys::Rules() {
  std::vector<KeyRule> rules;
  for (const core::JobOption& option : core::JobOptions()) {
    if (!option.set || !option.StandsIn(place_)) continue;
    KeyRule rule{option.field.key, [this, &option](const YamlNode& value, Problems& problems) {
                   Read(option, value, problems);
                 }};
    rule.formerly = option.field.formerly;
    rule.elsewhere = option.field.elsewhere;
    rules.push_back(std::move(rule));
  }
  return rules;
}

int JobOptionKeys::LineOf(std::string_view key) const {
  const auto found = lines_.find(key);
  return found == lines_.end() ? 0 : found->second;
}

void JobOptionKeys::Read(const core::JobOption& option, const YamlNode& value, Problems& problems) {
  const auto read = ReadFieldValue(option.field, value, problems);
  if (!read) return;
  lines_[option.field.key] = value.line;
  if (const Status taken = option.set(*read, submission_); !taken)
    problems.Add(value.line, option.field.key + " " + taken.error().Message());
}

}  // namespace ebb::config
