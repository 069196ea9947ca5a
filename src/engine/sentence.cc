// The text of an explanation.

#include "base/text.h"
#include "engine/decision.h"

namespace ebb::engine {
namespace {

using core::Describe;
using core::GateRule;

std::string Date(Time time) { return FormatTime(time).substr(0, 10); }

std::string Minute(Time time) { return Date(time) + " " + FormatClock(time); }

// "2023-05-01 11:00-13:00", with the second date where it differs.
std::string Span(Time begin, const std::optional<Time>& end) {
  if (!end || *end <= begin) return "from " + Minute(begin);
  return Minute(begin) + "-" + (Date(*end) == Date(begin) ? FormatClock(*end) : Minute(*end));
}

std::string Expectation(const Explanation& e) {
  if (!e.expected_start) return "";
  const std::string when = Span(*e.expected_start, e.expected_end);
  return e.expected ? ", " + Describe(e.expected) + " expected " + when : ", expected " + when;
}

std::string WaitingText(const Explanation& e) {
  const std::string now = Describe(e.current) + " now";
  switch (e.rule) {
    case GateRule::kAboveThreshold:
      return now + ", above " + Describe(e.threshold) + Expectation(e);
    case GateRule::kSignalMissing:
      return "the signal has no value for this moment" + Expectation(e);
    case GateRule::kForecastMissing:
      return now + ", no forecast reaches over the run time yet" + Expectation(e);
    case GateRule::kNoFreeDevice:
      return "the devices are taken" + Expectation(e);
    case GateRule::kBehindPriority:
      return "a job that goes first takes the devices" + Expectation(e);
    case GateRule::kDevicesReserved:
      return "the free devices are kept for a wide job that must start" + Expectation(e);
    case GateRule::kRampLimit:
      return "power may not rise faster" + Expectation(e);
    case GateRule::kHeld:
      return "held until it is resumed";
    case GateRule::kRetryLater:
      return "the last start failed" + Expectation(e);
    default:
      return now + Expectation(e);
  }
}

std::string RunningText(const Explanation& e) {
  std::string text = Describe(e.current) + " now";
  if (e.rule == GateRule::kLatestStart || e.rule == GateRule::kCompulsory)
    text += ", a later start could miss the deadline";
  if (e.rule == GateRule::kRunsInOutage) text += ", started without one as asked";
  if (e.expected_end) {
    text += ", expected to end " + Minute(*e.expected_end);
  } else {
    text += ", longer than estimated";
  }
  return text;
}

}  // namespace

std::string Sentence(const Explanation& explanation) {
  std::string text(Name(explanation.stage));
  switch (explanation.stage) {
    case Stage::kSucceeded:
    case Stage::kFailed:
    case Stage::kCancelled:
      if (explanation.rule == GateRule::kStoppedInOutage)
        text += ", the intensity is not known and it was not to wait:";
      return explanation.expected_end ? text + " " + Minute(*explanation.expected_end) : text;
    case Stage::kStarting:
    case Stage::kRunning:
    case Stage::kPausing:
      return text + ": " + RunningText(explanation);
    case Stage::kWaiting:
    case Stage::kPaused:
      break;
  }
  text += ": " + WaitingText(explanation);
  if (explanation.start_by)
    text += std::string("; must ") + (explanation.stage == Stage::kPaused ? "go on" : "start") +
            " by " + FormatTime(*explanation.start_by);
  return text;
}

}  // namespace ebb::engine
