#pragma once
// A job that comes again and again: its due times, the time for which an instance may wait for
// clean power, and the rule if the last instance still runs. Values only.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs/submission.h"

namespace ebb::core {

/// The action if the job is due and an earlier instance has not ended.
enum class OverlapRule {
  kForbid,   ///< no new instance starts this time
  kAllow,    ///< both instances run
  kReplace,  ///< the earlier instance is cancelled
};
/// Name of the rule: "forbid", "allow", "replace".
std::string_view Name(OverlapRule rule);
std::optional<OverlapRule> OverlapRuleFromName(std::string_view name);
std::vector<std::string> OverlapRuleNames();

struct Recurrence {
  std::string cron;  ///< due times in the machine's local time: core/jobs/cron.h
  /// Time from the due time of an instance to its latest start.
  Duration flexibility{std::chrono::hours{1}};
  OverlapRule overlap = OverlapRule::kForbid;
  friend bool operator==(const Recurrence&, const Recurrence&) = default;
};

struct RecurringJob {
  Recurrence recurrence;
  Submission submission;  ///< submission of every instance; its name is the name of the recurring
                          ///< job
  Time last{};            ///< the last due time, or the time when the job was submitted or resumed
  bool paused = false;    ///< the job is not due until it is resumed
  friend bool operator==(const RecurringJob&, const RecurringJob&) = default;
};

}  // namespace ebb::core
