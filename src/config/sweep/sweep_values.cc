#include "config/sweep/sweep_values.h"

#include <algorithm>

#include "config/yaml/list_reader.h"

namespace ebb::config {
namespace {

constexpr int kDeepestCondition = 8;
constexpr std::size_t kLongestValue = 4096;

sweep::Condition ReadConditionAt(const YamlNode& node, int depth, Problems& problems) {
  sweep::Condition condition;
  if (node.kind == YamlNode::Kind::kScalar) {
    auto comparison = sweep::ParseComparison(node.text);
    if (!comparison) {
      problems.Add(node.line, comparison.error().what + "; " + comparison.error().next);
      return condition;
    }
    condition = *std::move(comparison);
    condition.line = node.line;
    return condition;
  }
  const bool group = node.kind == YamlNode::Kind::kMap && node.entries.size() == 1 &&
                     (node.entries[0].key == "all" || node.entries[0].key == "any");
  if (!group || depth == 0) {
    problems.Add(node.line,
                 group ? "conditions lie too deep in each other"
                       : "a condition is a comparison like \"r == 16\", or all or any with a list "
                         "of conditions");
    return condition;
  }
  const YamlEntry& entry = node.entries[0];
  condition.kind = entry.key == "all" ? sweep::Condition::Kind::kAll : sweep::Condition::Kind::kAny;
  condition.line = node.line;
  ReadEach(entry.key, entry.value, problems, [&](const YamlNode& item, Problems& found) {
    condition.parts.push_back(ReadConditionAt(item, depth - 1, found));
  });
  return condition;
}

}  // namespace

std::optional<sweep::Value> ReadValue(const std::string& name, const YamlNode& node,
                                      Problems& problems) {
  if (node.kind != YamlNode::Kind::kScalar) {
    problems.Add(node.line, "a value of " + name + " must be a number or a text");
    return std::nullopt;
  }
  // A program's argument cannot contain a zero byte, and a very long value is not a parameter.
  if (node.text.find('\0') != std::string::npos || node.text.size() > kLongestValue) {
    problems.Add(node.line, "a value of " + name + " holds a NUL or is longer than " +
                                std::to_string(kLongestValue) + " bytes");
    return std::nullopt;
  }
  return sweep::Value::From(node.text);
}

bool IsParameterName(const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::vector<sweep::Setting> ReadSettings(const YamlNode& node, Problems& problems) {
  std::vector<sweep::Setting> settings;
  if (node.kind != YamlNode::Kind::kMap || node.entries.empty()) {
    problems.Add(node.line, "parameters are a section like {r: 16, lr: 1e-04}");
    return settings;
  }
  for (const YamlEntry& entry : node.entries) {
    if (!IsParameterName(entry.key))
      problems.Add(entry.line,
                   "\"" + entry.key +
                       "\" is not a valid name for a parameter: letters, digits and '_', no "
                       "digit in front");
    else if (sweep::FindValue(settings, entry.key))
      problems.Add(entry.line, "parameter " + entry.key + " is given twice");
    else if (const auto value = ReadValue(entry.key, entry.value, problems))
      settings.push_back({entry.key, *value});
  }
  return settings;
}

sweep::Condition ReadCondition(const YamlNode& node, Problems& problems) {
  return ReadConditionAt(node, kDeepestCondition, problems);
}

}  // namespace ebb::config
