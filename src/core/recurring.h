#pragma once
// A job that comes again and again: when it is due, how long it may then wait for clean power, and
// what happens while the last one still runs. Values only.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/submission.h"

namespace ebb::core {

/// When it is due and an earlier instance has not ended.
enum class OverlapRule {
  kForbid,   ///< this time is left out
  kAllow,    ///< both
  kReplace,  ///< the earlier one is cancelled
};
/// "forbid", "allow", "replace".
std::string_view Name(OverlapRule rule);
std::optional<OverlapRule> OverlapRuleFromName(std::string_view name);
std::vector<std::string> OverlapRuleNames();

struct Recurrence {
  std::string cron;  ///< of the machine's local time: core/cron.h
  /// From when it is due to its latest start.
  Duration flexibility{std::chrono::hours{1}};
  OverlapRule overlap = OverlapRule::kForbid;
  friend bool operator==(const Recurrence&, const Recurrence&) = default;
};

struct RecurringJob {
  Recurrence recurrence;
  Submission submission;  ///< of every instance; its name is that of the recurring job
  Time last{};            ///< the last time at which it was due, or when it was given or resumed
  bool paused = false;    ///< it is make it not due until it is resumed
  friend bool operator==(const RecurringJob&, const RecurringJob&) = default;
};

}  // namespace ebb::core
