#pragma once
// What a gate decided and why: the record that is printed while waiting, kept in the run directory,
// and shown in reports. A decision is derived from its inputs alone, so it can be derived again
// from a stored signal.

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "base/units.h"
#include "core/intensity.h"

namespace ebb::core {

enum class GateAction {
  kStart,  ///< or resume
  kWait,   ///< or stay paused
  kStop,
  kKeepRunning,
  kPause,
};

/// The rule that settled a decision; its name in files is stable.
enum class GateRule {
  kRunNow,             ///< the policy does not wait
  kBelowThreshold,     ///< intensity <= threshold (equality starts)
  kAboveThreshold,     ///< intensity > threshold
  kCleanestNow,        ///< no later start has a lower mean intensity over the run time
  kCleanerLater,       ///< a later start has one
  kLatestStart,        ///< the latest start is reached, whatever the intensity
  kSignalMissing,      ///< no value for this moment
  kForecastMissing,    ///< a value, but no forecast to compare it with
  kStoppedAtDeadline,  ///< the latest start is reached and the user asked to stop rather than run
                       ///< dirty
  // Of a queue of jobs on a cluster:
  kPlanned,              ///< the plan's next stretch of running begins at the expected start
  kCompulsory,           ///< any later start could miss a deadline, its own or another job's
  kSavingTooSmall,       ///< waiting would save less than the user asks for
  kRunning,              ///< runs; nothing speaks for a pause
  kPausedForCleaner,     ///< paused until cleaner power
  kNoFreeDevice,         ///< wants to run; the devices are taken
  kBehindPriority,       ///< wants to run; a job that goes first takes the devices
  kDevicesReserved,      ///< wants to run; the free devices are kept for a wide job that must start
  kRampLimit,            ///< wants to run; power may not rise faster
  kRetryLater,           ///< the last start failed; tried again at the expected start
  kBestNow,              ///< no later start is better by carbon and price together
  kBetterLater,          ///< a later start is
  kPriceAboveThreshold,  ///< price > price threshold (equality admits)
  kPriceMissing,         ///< the price of this moment is not known
  kHeld,                 ///< somebody wants it to wait until told otherwise
  kAskedFor,             ///< somebody wants it to run now, whatever the grid
  // Where the user asked for it:
  kRunsInOutage,     ///< the grid is unknown and stays so: runs rather than waits
  kStoppedInOutage,  ///< the grid is unknown and stays so: given up rather than waits
  kHoursUnknown,     ///< one value for all hours is known (core/one_value.h): no start is better
  kThresholdOutOfReach,  ///< above the threshold, and the one value that is known stays so
  // Of a queue again:
  kDraining,  ///< nothing starts or goes on, by somebody's wish for the whole queue
};

std::string_view Name(GateAction action);
std::string_view Name(GateRule rule);
std::optional<GateAction> GateActionFromName(std::string_view name);
std::optional<GateRule> GateRuleFromName(std::string_view name);

/// Why one run or a job in a queue is where it is: numbers, not text.
struct Reason {
  GateRule rule = GateRule::kRunNow;
  std::optional<Intensity> current;   ///< now, at the site in question
  std::optional<Intensity> expected;  ///< mean over the expected running
  std::optional<Intensity> threshold;
  std::optional<Time> start;   ///< expected, of the next stretch of running
  std::optional<Time> end;     ///< expected
  std::optional<Time> latest;  ///< latest start that keeps the deadlines
  friend bool operator==(const Reason&, const Reason&) = default;
};

struct GateDecision {
  Time at{};  ///< grid time
  GateAction action = GateAction::kWait;
  Reason reason;  ///< without a start: nothing known before the latest one
  SampleStatus current_status = SampleStatus::kMeasured;
  std::string current_source;  ///< the link of a chain that knew it; empty: there is one source
  std::optional<Intensity> mean_if_now;  ///< mean over the run time if it starts at once
  Duration judged{};                     ///< how much of the run time the means cover
  Time wake_at{};                        ///< decide again then (kWait only)
  std::string note;             ///< what else a reader must know: why the signal is missing
  std::string recorded_reason;  ///< as a run directory holds it; empty for a fresh decision
};

/// The rule with the numbers that decided, for one run and for a queue. Texts are made when they
/// are shown, not when it is decided: a simulation decides millions of times.
std::string RuleText(const Reason& reason);
/// That, with what only the gate of one run knows: both means, the source, its note.
std::string Sentence(const GateDecision& decision);
/// "312 g/kWh" or "unknown intensity".
std::string Describe(const std::optional<Intensity>& intensity);

}  // namespace ebb::core
