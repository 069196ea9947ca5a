#include "config/job_option_rules.h"

#include "config/list_reader.h"

namespace ebb::config {
namespace {

using core::Field;
using core::OptionValue;
using core::Shape;

template <typename T>
std::optional<OptionValue> ByRule(const YamlNode& value, Problems& problems, Given<T>& given,
                                  const KeyRule& rule) {
  rule.read(value, problems);
  return given ? std::optional<OptionValue>(*given) : std::nullopt;
}

std::optional<OptionValue> ReadValue(const Field& field, const YamlNode& value,
                                     Problems& problems) {
  const Range range{field.low, field.high};
  switch (field.shape) {
    case Shape::kNumber: {
      Given<double> given;
      return ByRule(value, problems, given, ReadNumber(field.key, given, range));
    }
    case Shape::kWhole: {
      Given<std::int64_t> given;
      return ByRule(value, problems, given, ReadInteger(field.key, given, range));
    }
    case Shape::kFlag: {
      Given<bool> given;
      return ByRule(value, problems, given, ReadBool(field.key, given));
    }
    case Shape::kDuration: {
      Given<Duration> given;
      return ByRule(value, problems, given,
                    ReadDuration(field.key, given, DurationFromSeconds(field.low)));
    }
    case Shape::kTexts: {
      Given<std::vector<std::string>> given;
      return ByRule(value, problems, given, ReadTexts(field.key, given));
    }
    case Shape::kChoice: {
      Given<std::string> given;
      return ByRule(value, problems, given, ReadChoice(field.key, given, field.choices));
    }
    default: {
      Given<std::string> given;
      return ByRule(value, problems, given, ReadText(field.key, given));
    }
  }
}

}  // namespace

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
  const auto read = ReadValue(option.field, value, problems);
  if (!read) return;
  lines_[option.field.key] = value.line;
  if (const Status taken = option.set(*read, submission_); !taken)
    problems.Add(value.line, option.field.key + " " + taken.error().Message());
}

}  // namespace ebb::config
