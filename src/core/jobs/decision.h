#pragma once
// A gate's decision and its reason: the record that is printed while waiting, kept in the run
// directory, and shown in reports. A decision is derived from its inputs alone, so it can be
// derived again from a stored signal.

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "base/units.h"
#include "core/signal/intensity.h"

namespace ebb::core {

enum class GateAction {
  kStart,  ///< start or resume
  kWait,   ///< wait or stay paused
  kStop,
  kKeepRunning,
  kPause,
};

/// The rule that settled a decision. The name of a rule in files is stable.
enum class GateRule {
  kRunNow,             ///< the policy does not wait
  kBelowThreshold,     ///< intensity <= threshold (equality starts)
  kAboveThreshold,     ///< intensity > threshold
  kCleanestNow,        ///< no later start has a lower mean intensity over the run time
  kCleanerLater,       ///< a later start has a lower mean intensity
  kLatestStart,        ///< the latest start is reached, whatever the intensity
  kSignalMissing,      ///< the signal has no value for this moment
  kForecastMissing,    ///< the signal has a value, but there is no forecast to compare it with
  kStoppedAtDeadline,  ///< the latest start is reached and the user asked to stop rather than run
                       ///< dirty
  // Rules of a queue of jobs on a cluster:
  kPlanned,              ///< the plan's next stretch of running begins at the expected start
  kCompulsory,           ///< any later start could miss a deadline, its own or another job's
  kSavingTooSmall,       ///< waiting would save less than the user asks for
  kRunning,              ///< the job runs; nothing speaks for a pause
  kPausedForCleaner,     ///< paused until cleaner power
  kNoFreeDevice,         ///< the job wants to run, but the devices are taken
  kBehindPriority,       ///< the job wants to run, but a job that goes first takes the devices
  kDevicesReserved,      ///< the job wants to run, but the free devices are kept for a wide job
                         ///< that must start
  kRampLimit,            ///< the job wants to run, but power may not rise faster
  kRetryLater,           ///< the last start failed; the next try is at the expected start
  kBestNow,              ///< no later start is better by carbon and price together
  kBetterLater,          ///< a later start is better by carbon and price together
  kPriceAboveThreshold,  ///< price > price threshold (equality admits)
  kPriceMissing,         ///< the price of this moment is unknown
  kHeld,                 ///< a person wants the job to wait until told otherwise
  kAskedFor,             ///< a person wants the job to run now, whatever the grid
  // Rules of an outage, if the user asked for them:
  kRunsInOutage,     ///< the grid is unknown and stays so: the job runs rather than waits
  kStoppedInOutage,  ///< the grid is unknown and stays so: the job is given up rather than waits
  kHoursUnknown,  ///< the signal is one value for all hours (core/signal/one_value.h): no start is
                  ///< better
  kThresholdOutOfReach,  ///< the intensity is above the threshold, and the only known value stays
                         ///< so
  // Another rule of a queue:
  kDraining,  ///< nothing starts or goes on, because a person drains the whole queue
};

std::string_view Name(GateAction action);
std::string_view Name(GateRule rule);
std::optional<GateAction> GateActionFromName(std::string_view name);
std::optional<GateRule> GateRuleFromName(std::string_view name);

/// The reason why one run or a job in a queue is where it is: numbers, not text.
struct Reason {
  GateRule rule = GateRule::kRunNow;
  std::optional<Intensity> current;   ///< intensity now, at the site in question
  std::optional<Intensity> expected;  ///< mean intensity over the expected running time
  std::optional<Intensity> threshold;
  std::optional<Time> start;   ///< expected start of the next stretch of running
  std::optional<Time> end;     ///< expected end
  std::optional<Time> latest;  ///< latest start that keeps the deadlines
  friend bool operator==(const Reason&, const Reason&) = default;
};

struct GateDecision {
  Time at{};  ///< grid time
  GateAction action = GateAction::kWait;
  Reason reason;  ///< no `start`: nothing is known before the latest start
  SampleStatus current_status = SampleStatus::kMeasured;
  std::string current_source;  ///< the link of a chain that knew the current value; empty: there is
                               ///< one source
  std::optional<Intensity> mean_if_now;  ///< mean intensity over the run time if the run starts at
                                         ///< once
  Duration judged{};                     ///< the part of the run time that the means cover
  Time wake_at{};                        ///< the next decision is due then (kWait only)
  std::string note;                      ///< a note for readers: why the signal is missing
  std::string recorded_reason;  ///< reason as a run directory has it; empty for a fresh decision
};

/// The rule with the numbers that decided, for one run and for a queue. Texts are made when they
/// are shown, not when it is decided: a simulation decides millions of times.
std::string RuleText(const Reason& reason);
/// The text of the rule with the facts that only the gate of one run has: both means, the source,
/// the note.
std::string Sentence(const GateDecision& decision);
/// The intensity as text: "312 g/kWh" or "unknown intensity".
std::string Describe(const std::optional<Intensity>& intensity);

}  // namespace ebb::core
