// Makes the text of an explanation.

#include "base/text.h"
#include "base/times_in_text.h"
#include "core/signal/one_value.h"
#include "engine/decision.h"

namespace ebb::engine {
namespace {

using core::Describe;
using core::GateRule;

std::string Span(Time begin, const std::optional<Time>& end) {
  return end && *end > begin ? SpanText(begin, *end) : "from " + MinuteText(begin);
}

std::string Expectation(const core::Reason& reason) {
  if (!reason.start || reason.rule == GateRule::kHeld) return "";
  const std::string when = Span(*reason.start, reason.end);
  return reason.expected ? ", " + Describe(reason.expected) + " expected " + when
                         : ", expected " + when;
}

std::string RunningText(const core::Reason& reason) {
  std::string text = Describe(reason.current) + " now";
  if (reason.rule == GateRule::kLatestStart || reason.rule == GateRule::kCompulsory)
    text += ", a later start could miss the deadline";
  if (reason.rule == GateRule::kRunsInOutage) text += ", started without one as asked";
  if (reason.rule == GateRule::kHoursUnknown)
    text +=
        ", " + std::string(core::kNothingOfHours) + " and so nothing could be gained by waiting";
  return text +
         (reason.end ? ", expected to end " + MinuteText(*reason.end) : ", longer than estimated");
}

}  // namespace

std::string Sentence(const Explanation& explanation) {
  std::string text(Name(explanation.stage));
  switch (explanation.stage) {
    case Stage::kSucceeded:
    case Stage::kFailed:
    case Stage::kCancelled:
      if (explanation.reason.rule == GateRule::kStoppedInOutage)
        text += ", the intensity is not known and it was not to wait:";
      return explanation.reason.end ? text + " " + MinuteText(*explanation.reason.end) : text;
    case Stage::kStarting:
    case Stage::kRunning:
    case Stage::kPausing:
      return text + ": " + RunningText(explanation.reason);
    case Stage::kWaiting:
    case Stage::kPaused:
      break;
  }
  // Only starts have this rule, so nothing is decided for this job yet.
  if (explanation.reason.rule == GateRule::kRunNow) return text + ": it is not decided yet";
  text += ": " +
          (explanation.drain ? DrainText(*explanation.drain) : core::RuleText(explanation.reason)) +
          Expectation(explanation.reason);
  if (explanation.misses_deadline)
    return text + "; its deadline cannot be kept: it must " +
           (explanation.stage == Stage::kPaused ? "go on" : "start") + " by " +
           MinuteText(*explanation.reason.latest);
  if (explanation.reason.latest)
    text += std::string("; must ") + (explanation.stage == Stage::kPaused ? "go on" : "start") +
            " by " + MinuteText(*explanation.reason.latest);
  return text;
}

}  // namespace ebb::engine
