#include "cli/slurm_start_text.h"

#include "base/text.h"
#include "base/units_text.h"
#include "core/signal/one_value.h"

namespace ebb::cli {
namespace {

using core::GateRule;

// "141 g/kWh instead of 312, saves 55 %", as far as it is known.
std::string Gain(const app::StartChoice& choice) {
  if (!choice.expected) return "nothing is known of its hours";
  std::string text = FormatFixed(choice.expected->g_per_kwh, 0) + " g/kWh expected";
  const auto saving = SavingOf(choice);
  if (!saving) return text;
  return FormatFixed(choice.expected->g_per_kwh, 0) + " g/kWh instead of " +
         FormatFixed(choice.if_now->g_per_kwh, 0) + ", saves " + FormatFixed(*saving, 0) + " %";
}

// The grams, if the user says how much power the job draws.
std::string Grams(const app::SlurmSubmission& submission) {
  const app::StartChoice& choice = *submission.choice;
  if (!submission.power || !choice.expected || !choice.if_now) return "";
  const Energy energy = Energy::Joules(submission.power->watts * submission.job.devices *
                                       Seconds(submission.job.duration));
  return " (" + EmissionsText(EmissionsOf(energy, Pue{1}, *choice.expected)) + " instead of " +
         EmissionsText(EmissionsOf(energy, Pue{1}, *choice.if_now)) + ")";
}

std::string WhyNow(const app::SlurmSubmission& submission, Time now, const LocalTimes& times) {
  const app::StartChoice& choice = *submission.choice;
  if (choice.reason.rule == GateRule::kHoursUnknown)
    return std::string(core::kNothingOfHours) + ", so nothing can be gained by waiting; " +
           std::string(core::kWhatBringsHours);
  if (choice.reason.rule == GateRule::kRunsInOutage)
    return "the carbon intensity is unknown, and the job does not wait for it";
  if (choice.latest <= now) return "its latest start is now";
  const std::string present =
      choice.if_now ? " (" + FormatFixed(choice.if_now->g_per_kwh, 0) + " g/kWh)" : "";
  return "no start until " + times.Moment(choice.latest) + " is expected to be better than now" +
         present;
}

}  // namespace

std::optional<double> SavingOf(const app::StartChoice& choice) {
  if (!choice.expected || !choice.if_now || choice.if_now->g_per_kwh <= 0) return std::nullopt;
  return 100 * (1 - choice.expected->g_per_kwh / choice.if_now->g_per_kwh);
}

std::string StartSentence(const std::string& who, const app::SlurmSubmission& submission, Time now,
                          const LocalTimes& times) {
  if (!submission.choice) {
    if (!submission.begin) return who + " starts when Slurm lets it";
    return who +
           " waits for the service, which starts it in a clean hour; without a service it "
           "starts at " +
           times.MomentAndDistance(*submission.begin);
  }
  if (!submission.begin)
    return who + " starts as soon as Slurm has room: " + WhyNow(submission, now, times);
  const app::StartChoice& choice = *submission.choice;
  std::string text = who + " starts at " + times.MomentAndDistance(choice.start) + ": ";
  if (choice.reason.rule == GateRule::kSignalMissing && choice.start >= choice.latest)
    return text +
           "the carbon intensity is unknown now, so this is its latest start; "
           "`ebb slurm tick` moves it to an earlier one";
  return text + Gain(choice) + Grams(submission) + "; at the latest " + times.Moment(choice.latest);
}

}  // namespace ebb::cli
