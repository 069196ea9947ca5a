// The summary of a run for a terminal.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "base/units_text.h"
#include "report/run/figures.h"
#include "report/run/known_emissions.h"
#include "report/run/summary.h"
#include "report/run/width_course.h"

namespace ebb::report {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

std::string OutcomeText(const core::RunRecord& run, const Summary& summary) {
  std::string text(core::Name(summary.outcome));
  if (summary.outcome == core::AttemptOutcome::kNotStarted) text = "never started";
  if (summary.outcome == core::AttemptOutcome::kRunning) text = "unfinished (no end was recorded)";
  if (summary.outcome == core::AttemptOutcome::kStoppedByBudget) text = "stopped by its budget";
  if (summary.outcome == core::AttemptOutcome::kFailed)
    text += " with exit code " + std::to_string(run.attempts.back().exit_code);
  if (summary.attempts > 1) text += ", " + std::to_string(summary.attempts) + " attempts";
  return text;
}

// True if the run could wait. A program that was started at once took milliseconds to start, and
// nothing was decided.
bool CouldWait(const core::RunRecord& run, const Summary& summary) {
  return summary.waited >= std::chrono::seconds(1) || run.decisions.empty() ||
         run.decisions.back().reason.rule != core::GateRule::kRunNow;
}

std::string WaitText(const core::RunRecord& run, const Summary& summary) {
  std::string text = FormatDuration(summary.waited);
  if (!run.decisions.empty()) text += "; " + Sentence(run.decisions.back());
  return text;
}

std::string SourceText(const core::LedgerTotals& totals) {
  std::vector<std::string> parts;
  const auto add = [&](Energy energy, const char* name) {
    if (energy == Energy{}) return;
    const double percent =
        100 * static_cast<double>(energy.microjoules()) /
        static_cast<double>(std::max<std::int64_t>(1, totals.energy.microjoules()));
    parts.push_back(FormatFixed(percent, 0) + " % " + name);
  };
  add(totals.by_counter, "by counter");
  add(totals.by_power_integral, "by integrated power");
  add(totals.by_model, "by model");
  return Join(parts, ", ");
}

std::string ComponentText(const core::LedgerTotals& totals) {
  std::vector<std::string> parts;
  if (totals.cpu != Energy{}) parts.push_back("cpu " + EnergyText(totals.cpu));
  if (totals.gpu != Energy{}) parts.push_back("gpu " + EnergyText(totals.gpu));
  if (totals.ram != Energy{}) parts.push_back("ram " + EnergyText(totals.ram));
  return Join(parts, ", ");
}

std::string StatusText(const core::LedgerTotals& totals) {
  std::vector<std::string> parts;
  if (totals.on_measured != Energy{}) parts.push_back("measured");
  if (totals.on_estimated != Energy{}) parts.push_back("estimated");
  if (totals.on_forecast != Energy{}) parts.push_back("forecast");
  if (totals.on_modelled != Energy{}) parts.push_back("modelled");
  return Join(parts, " and ");
}

void AddEnergy(const core::RunRecord& run, const Summary& summary, Lines& lines) {
  const core::LedgerTotals& totals = summary.totals;
  if (totals.energy == Energy{}) {
    lines.emplace_back("energy", "nothing was measured");
    return;
  }
  lines.emplace_back("energy", EnergyText(totals.energy) + "  (" + ComponentText(totals) + "; " +
                                   SourceText(totals) + ")");
  if (totals.facility_energy != totals.energy)
    lines.emplace_back("", EnergyText(totals.facility_energy) + " with the facility, PUE " +
                               FormatSignificant(run.spec.pue.ratio, 3));
  if (!KnownEmissions(totals)) lines.emplace_back("emitted", "unknown");
  if (const auto mean = totals.MeanIntensity())
    lines.emplace_back(
        "emitted", EmissionsText(totals.emissions) + "  at " + IntensityText(*mean) + " (" +
                       (summary.other ? std::string(core::Name(run.spec.signal.kind)) + ", " : "") +
                       StatusText(totals) + ")");
  std::string sure =
      "energy " + ShareText(summary.uncertainty.energy_share) + ", " + EnergyBasis(summary);
  if (totals.emissions.grams > 0)
    sure += "; emissions " + ShareText(summary.uncertainty.emissions_share) + ", estimated";
  lines.emplace_back("uncertainty", sure + " (95 %)");
  if (totals.energy_without_intensity > Energy{})
    lines.emplace_back("unknown", EnergyText(totals.energy_without_intensity) +
                                      " ran while the carbon intensity was unknown; its emissions "
                                      "are not counted");
}

// "4.12 mJ/token ± 42 %, 0.343 g per million tokens ± 44 %; 1,234,567 tokens"
void AddWork(const Summary& summary, Lines& lines) {
  for (const core::UnitUse& use : summary.per_unit) {
    std::string text = core::EnergyPerText(use.unit, use.joules) + " " +
                       ShareText(summary.uncertainty.energy_share);
    if (use.grams)
      text += ", " + core::EmissionsPerText(use.unit, *use.grams) + " " +
              ShareText(summary.uncertainty.emissions_share);
    lines.emplace_back("per " + std::string(core::Name(use.unit)),
                       text + "; " + core::CountText(use.unit, use.count));
  }
}

std::string SavingText(const Alternative& alternative) {
  if (!alternative.saving) return "not comparable: the intensity is not known throughout";
  const double saving = alternative.saving->grams;
  const std::string percent =
      alternative.saving_percent ? ChangeText(-*alternative.saving_percent) : "not in percent";
  if (percent == "the same") return "this run emitted the same";
  if (!alternative.IsClear())
    return "no clear difference: " + EmissionsText({std::abs(saving)}) + ", " + percent + ", ± " +
           EmissionsText({*alternative.half_width_g});
  if (saving < 0) return "this run was worse by " + EmissionsText({-saving}) + ", " + percent;
  return "this run saved " + EmissionsText({saving}) + ", " + percent;
}

// A negative share is written in words: none of the possible saving was made.
std::string PossibleSavingText(double share) {
  if (share < 0) return "none of the possible saving was made: it emitted more than at submission";
  return FormatFixed(100 * share, 0) + " % of the possible saving was made";
}

bool MayBeRevised(const core::RunRecord& run) {
  return !run.signal_versions.empty() && !run.signal_versions.back().is_final;
}

// Adds the version of the signal. A source that revises nothing has no version to report.
void AddVersion(const core::RunRecord& run, Lines& lines) {
  if (run.signal_versions.size() < 2 && !MayBeRevised(run)) return;
  const core::SignalVersion& version = run.signal_versions.back();
  lines.emplace_back("settled",
                     "intensity as published by " +
                         FormatTime(std::chrono::floor<std::chrono::seconds>(version.asked_at)) +
                         (version.is_final ? ", final"
                                           : "; may be revised, `ebb report settle` "
                                             "asks again"));
}

void AddAlternatives(const core::RunRecord& run, const Summary& summary, Lines& lines) {
  if (const auto& at = summary.at_submission) {
    const Energy without = at->run.energy_without_intensity;
    std::string text = KnownEmissionsText(KnownEmissions(at->run, summary.totals.energy), without);
    if (summary.intensity_at_submission)
      text += "  starting at " + IntensityText(*summary.intensity_at_submission);
    lines.emplace_back("at submission", text + "; " + SavingText(*at));
  }
  if (summary.had_it_waited)
    lines.emplace_back("had it waited", HadItWaitedText(*summary.had_it_waited));
  // A run that could not wait has no other start to compare with.
  if (run.latest_start() <= run.spec.submitted) return;
  if (const auto& best = summary.best_in_hindsight) {
    std::string text = EmissionsText(best->run.emissions) + "  starting " +
                       FormatTime(best->run.start) + ", in hindsight";
    if (summary.share_of_possible_saving)
      text += "; " + PossibleSavingText(*summary.share_of_possible_saving);
    lines.emplace_back("best start", text);
  } else if (summary.at_submission && MayBeRevised(run)) {
    lines.emplace_back("best start", "not yet known: not all of the intensity is published");
  }
}

// Adds figures that are stated beside the emissions and are in none of their sums.
void AddOtherFigures(const core::RunRecord& run, const Summary& summary, Lines& lines) {
  if (summary.other) {
    const core::LedgerTotals& totals = summary.other->totals;
    const auto mean = totals.MeanIntensity();
    lines.emplace_back(std::string(core::Name(summary.other->kind)),
                       mean ? EmissionsText(totals.emissions) + "  at " + IntensityText(*mean) +
                                  " (" + StatusText(totals) + ", " +
                                  ShareText(summary.other->uncertainty.emissions_share) +
                                  "): the same energy on the " +
                                  std::string(core::Name(summary.other->kind)) +
                                  " signal, not to be added"
                            : "unknown: the second signal had no value");
  }
  if (summary.water_l)
    lines.emplace_back("water", FormatSignificant(*summary.water_l, 3) + " L at " +
                                    FormatSignificant(*run.spec.wue_l_per_kwh, 3) +
                                    " L per kWh of IT energy");
  if (summary.embodied)
    lines.emplace_back("embodied", EmissionsText(*summary.embodied) +
                                       " of making the hardware, by time; in no total");
}

void AddBudget(const core::RunRecord& run, Lines& lines) {
  if (!run.budget.budget) return;
  const core::BudgetUse use = core::UseOf(run.ledger);
  for (const auto measure : {core::BudgetMeasure::kEnergy, core::BudgetMeasure::kEmissions}) {
    const auto limit = run.budget.budget->Limit(measure);
    if (!limit) continue;
    const auto used = use.Of(measure);
    std::string text = used ? core::AmountText(*used, measure) + " of " +
                                  core::AmountText(*limit, measure) + " used, " +
                                  FormatFixed(100 * *used / *limit, 1) + " %"
                            : "of " + core::AmountText(*limit, measure) +
                                  " an unknown part is used: the intensity is not known";
    if (used && measure == core::BudgetMeasure::kEmissions && use.without_intensity != Energy{})
      text += " (unknown intensity counted at the highest met)";
    lines.emplace_back("budget", text);
  }
}

void AddPowerCap(const core::RunRecord& run, Lines& lines) {
  for (const core::PowerChoice& choice : run.power_choices) {
    const bool several = run.power_choices.size() > 1;
    lines.emplace_back("power cap",
                       (several ? "attempt " + std::to_string(choice.attempt) + ": " : "") +
                           core::Describe(choice));
  }
}

void AddCost(const core::RunRecord& run, const Summary& summary, Lines& lines) {
  if (!summary.cost) return;
  const std::string& currency = run.spec.prices->identity.currency;
  lines.emplace_back("cost", CostText(*summary.cost, currency));
  lines.emplace_back("at submission", CostAtSubmissionText(*summary.cost, currency));
}

// "changed 2 times; since update 120: 48, 16 of 64 samples".
std::string RankSharesText(const std::vector<core::RankShareChange>& changes) {
  const core::RankShareChange& last = changes.back();
  std::vector<std::string> parts;
  std::int64_t all = 0;
  for (const std::int64_t samples : last.samples) {
    parts.push_back(std::to_string(samples));
    all += samples;
  }
  const std::string times =
      changes.size() == 1 ? "once" : std::to_string(changes.size()) + " times";
  return "changed " + times + "; since update " + std::to_string(last.step) + ": " +
         Join(parts, ", ") + " of " + std::to_string(all) + " samples";
}

void AddTraining(const core::TrainingOutcome& training, Lines& lines) {
  lines.emplace_back("training", "test accuracy " + FormatFixed(training.test_accuracy_percent, 2) +
                                     " %, test loss " + FormatSignificant(training.test_loss, 3) +
                                     ", peak tensor memory " +
                                     BytesText(training.peak_tensor_bytes) + " on " +
                                     training.device);
  if (!training.rank_shares.empty())
    lines.emplace_back("rank shares", RankSharesText(training.rank_shares));
}

}  // namespace

std::string SummaryText(const core::RunRecord& run, const Summary& summary) {
  Lines lines;
  if (CouldWait(run, summary)) lines.emplace_back("waited", WaitText(run, summary));
  lines.emplace_back("ran",
                     FormatDuration(summary.running_time) + ", " + OutcomeText(run, summary));
  if (const auto course = WidthCourse(run); !course.empty())
    lines.emplace_back("widths", WidthCourseText(course));
  AddEnergy(run, summary, lines);
  AddWork(summary, lines);
  AddOtherFigures(run, summary, lines);
  AddBudget(run, lines);
  AddPowerCap(run, lines);
  AddAlternatives(run, summary, lines);
  AddVersion(run, lines);
  AddCost(run, summary, lines);
  if (run.training) AddTraining(*run.training, lines);
  for (const std::string& notice : ReplayNotices(run)) lines.emplace_back("note", notice);
  std::string text = run.spec.name + "\n";
  for (const auto& [label, value] : lines)
    text += "  " + label + std::string(15 - std::min<std::size_t>(14, label.size()), ' ') + value +
            "\n";
  return text;
}

}  // namespace ebb::report
