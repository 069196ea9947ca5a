#include "core/jobs/decision.h"

#include <array>

#include "base/enum_names.h"
#include "base/text.h"
#include "core/signal/one_value.h"

namespace ebb::core {
namespace {

constexpr std::array<std::string_view, 5> kActionNames{"start", "wait", "stop", "keep_running",
                                                       "pause"};
constexpr std::array<std::string_view, 30> kRuleNames{"run_now",
                                                      "below_threshold",
                                                      "above_threshold",
                                                      "cleanest_now",
                                                      "cleaner_later",
                                                      "latest_start",
                                                      "signal_missing",
                                                      "forecast_missing",
                                                      "stopped_at_deadline",
                                                      "planned",
                                                      "compulsory",
                                                      "saving_too_small",
                                                      "running",
                                                      "paused_for_cleaner",
                                                      "no_free_device",
                                                      "behind_priority",
                                                      "devices_reserved",
                                                      "ramp_limit",
                                                      "retry_later",
                                                      "best_now",
                                                      "better_later",
                                                      "price_above_threshold",
                                                      "price_missing",
                                                      "held",
                                                      "asked_for",
                                                      "runs_in_outage",
                                                      "stopped_in_outage",
                                                      "hours_unknown",
                                                      "threshold_out_of_reach",
                                                      "draining"};

std::string WindowText(const GateDecision& d) {
  const Reason& r = d.reason;
  if (r.rule == GateRule::kCleanestNow && r.expected)
    return RuleText(r) + " than now: " + Describe(r.expected) + " on average over the next " +
           FormatDuration(d.judged);
  if (d.mean_if_now && r.start)
    return Describe(d.mean_if_now) + " on average if started now, " + Describe(r.expected) +
           " expected from " + FormatTime(*r.start);
  return Describe(r.current) + " now, cleaner power is expected" +
         (r.start ? " from " + FormatTime(*r.start) : "");
}

// The text for a job with a threshold that has no place below it in the plan.
std::string ThresholdText(const Reason& r) {
  if (!r.threshold || !r.expected || r.expected->g_per_kwh <= r.threshold->g_per_kwh) return "";
  return "; its deadline and the devices leave nothing at or below its threshold of " +
         Describe(r.threshold);
}

std::string NothingOfHours(const std::string& consequence) {
  return std::string(kNothingOfHours) + ", so " + consequence + "; " +
         std::string(kWhatBringsHours);
}

// Text of a decision that says more than its rule.
std::string DecisionText(const GateDecision& d) {
  const Reason& r = d.reason;
  const std::string later = r.start && *r.start > d.at
                                ? Describe(r.expected) + " expected from " + FormatTime(*r.start)
                                : "nothing cleaner is known yet";
  switch (r.rule) {
    case GateRule::kCleanestNow:
    case GateRule::kCleanerLater:
      return WindowText(d);
    case GateRule::kPlanned:
      return RuleText(r) + "; planned: " + later;
    case GateRule::kPausedForCleaner:
      return "paused at " + Describe(r.current) + "; " + later;
    case GateRule::kBetterLater:
      return RuleText(r) + "; better by carbon and price" +
             (r.start ? " from " + FormatTime(*r.start) + ", " + Describe(r.expected) : " later");
    default:
      return RuleText(r);
  }
}

}  // namespace

std::string RuleText(const Reason& reason) {
  const std::string value = Describe(reason.current);
  switch (reason.rule) {
    case GateRule::kRunNow:
      return reason.current ? "policy now: starting at " + value
                            : "policy now: starting; the intensity of this moment is not known yet";
    case GateRule::kBelowThreshold:
      return value + " is at or below " + Describe(reason.threshold);
    case GateRule::kAboveThreshold:
      return value + " is above " + Describe(reason.threshold);
    case GateRule::kCleanestNow:
      return "no later start is expected to be cleaner";
    case GateRule::kLatestStart:
      return "the latest start is reached: starting at " + value;
    case GateRule::kSignalMissing:
      return "the signal has no value for this moment";
    case GateRule::kForecastMissing:
      return "no forecast reaches over the run time yet";
    case GateRule::kStoppedAtDeadline:
      return "the latest start is reached at " + value + ": stopped, as asked";
    case GateRule::kPlanned:
      return value + " now" + ThresholdText(reason);
    case GateRule::kCleanerLater:
    case GateRule::kPausedForCleaner:
    case GateRule::kBetterLater:
      return value + " now";
    case GateRule::kCompulsory:
      return "a later start could miss a deadline: running at " + value;
    case GateRule::kSavingTooSmall:
      return "waiting would save too little: " + value + " now";
    case GateRule::kRunning:
      return "runs at " + value;
    case GateRule::kNoFreeDevice:
      return "the devices are taken";
    case GateRule::kBehindPriority:
      return "a job that goes first takes the devices";
    case GateRule::kDevicesReserved:
      return "the free devices are kept for a wide job that must start";
    case GateRule::kRampLimit:
      return "power may not rise faster";
    case GateRule::kRetryLater:
      return "the last start failed";
    case GateRule::kBestNow:
      return value + " now; no later start is expected to be better by carbon and price";
    case GateRule::kPriceAboveThreshold:
      return "electricity is above the price threshold";
    case GateRule::kPriceMissing:
      return "the price of electricity is not known";
    case GateRule::kHeld:
      return "on hold; `ebb resume` continues it";
    case GateRule::kAskedFor:
      return "started by hand at " + value;
    case GateRule::kRunsInOutage:
      return "the intensity is not known: starting, as asked for an outage";
    case GateRule::kStoppedInOutage:
      return "the intensity is not known: stopped, as asked for an outage";
    case GateRule::kHoursUnknown:
      return NothingOfHours("nothing can be gained by waiting: starting at " + value);
    case GateRule::kThresholdOutOfReach:
      return NothingOfHours("this waits for nothing: " + value +
                            " at every hour, and the threshold is " + Describe(reason.threshold));
    case GateRule::kDraining:
      return "the service is draining";
  }
  return {};
}

std::string_view Name(GateAction action) { return kActionNames[static_cast<std::size_t>(action)]; }
std::string_view Name(GateRule rule) { return kRuleNames[static_cast<std::size_t>(rule)]; }

std::string Describe(const std::optional<Intensity>& intensity) {
  return intensity ? FormatFixed(intensity->g_per_kwh, 0) + " g/kWh" : "unknown intensity";
}

std::string Sentence(const GateDecision& decision) {
  if (!decision.recorded_reason.empty()) return decision.recorded_reason;
  std::string text = DecisionText(decision);
  if (!decision.current_source.empty()) text += ", by " + decision.current_source;
  return decision.note.empty() ? text : text + "; " + decision.note;
}

std::optional<GateAction> GateActionFromName(std::string_view name) {
  return EnumFromName<GateAction>(kActionNames, name);
}

std::optional<GateRule> GateRuleFromName(std::string_view name) {
  return EnumFromName<GateRule>(kRuleNames, name);
}

}  // namespace ebb::core
