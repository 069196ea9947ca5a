#include "config/options/run_option_keys.h"

#include "base/check.h"
#include "config/field_value.h"
#include "config/section_table.h"

namespace ebb::config {
namespace {

std::optional<core::OptionValue> TimeText(const RunOption& option, const YamlNode& value,
                                          Problems& problems) {
  Given<Time> time;
  ReadTime(option.field.key, time).read(value, problems);
  return time ? std::optional<core::OptionValue>(value.text) : std::nullopt;
}

std::optional<core::OptionValue> ValueOf(const RunOption& option, const YamlNode& value,
                                         Problems& problems) {
  if (option.is_time) return TimeText(option, value, problems);
  if (!option.full_name) return ReadFieldValue(option.field, value, problems);
  YamlNode meant = value;
  meant.text = option.full_name(value.text);
  return ReadFieldValue(option.field, meant, problems);
}

}  // namespace

std::vector<KeyRule> RunOptionKeys::Rules() {
  std::vector<KeyRule> rules;
  for (const RunOption& option : RunOptionTable()) {
    if (option.section != section_) continue;
    KeyRule rule{option.field.key, [this, &option](const YamlNode& value, Problems& problems) {
                   Read(option, value, problems);
                 }};
    rule.formerly = option.field.formerly;
    rules.push_back(std::move(rule));
  }
  return rules;
}

int RunOptionKeys::LineOf(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? 0 : found->second.line;
}

void RunOptionKeys::Apply(RunOptions& options) const {
  for (const RunOption& option : RunOptionTable()) {
    if (option.section != section_ || !Has(option.field.key)) continue;
    const Status set = option.member.set(*values_.at(option.field.key), options);
    EBB_CHECK(set.has_value());  // Read has tried it
  }
}

void RunOptionKeys::RefuseUnused(signals::SignalSource source, Problems& problems) const {
  for (const RunOption& option : RunOptionTable()) {
    const SignalUse& use = option.used_by;
    if (option.section != section_ || !Has(option.field.key) || use.everywhere()) continue;
    if (use.source == source || (use.live && signals::IsLive(source))) continue;
    problems.Add(LineOf(option.field.key),
                 option.field.key + " has no meaning for signal " +
                     std::string(signals::Name(source)) + ", only for " +
                     (use.live ? "live ones" : std::string(signals::Name(*use.source))));
  }
}

void RunOptionKeys::Read(const RunOption& option, const YamlNode& value, Problems& problems) {
  const auto read = ValueOf(option, value, problems);
  if (!read) return;
  RunOptions unused;
  if (const Status set = option.member.set(*read, unused); !set)
    return problems.Add(value.line, RefusalText(option.field.key, set.error()));
  values_[option.field.key] = {*read, value.line};
}

}  // namespace ebb::config
