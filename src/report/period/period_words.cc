#include "report/period/period_words.h"

#include <array>
#include <cmath>

#include "base/text.h"
#include "base/units_text.h"
#include "report/run/figures.h"

namespace ebb::report {
namespace {

std::string CountOf(std::int64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}
std::string Runs(std::int64_t count) { return CountOf(count, "run", "runs"); }

std::string FactorText(const SupplyFactor& factor) {
  return IntensityText(factor.intensity) + (factor.zone.empty() ? "" : " in " + factor.zone);
}

std::string FactorsText(const std::vector<SupplyFactor>& factors) {
  std::vector<std::string> texts;
  for (const SupplyFactor& factor : factors) texts.push_back(FactorText(factor));
  return Join(texts, ", ");
}

void AddMarketNote(const PeriodReport& report, std::vector<std::string>& notes) {
  const PeriodRequest& request = report.request;
  if (!request.IsMarketBased()) return;
  std::string note = "Market-based (GHG Protocol, Scope 2): ";
  if (!request.supplier.empty()) note += "supplier " + FactorsText(request.supplier);
  if (!request.residual_mix.empty())
    note += std::string(request.supplier.empty() ? "" : "; ") + "residual mix " +
            FactorsText(request.residual_mix);
  note += ", as stated; it stands beside the location-based figure and is never added to it.";
  const PeriodFigures& total = report.total.figures;
  if (total.without_contract > Energy{})
    note += " " + EnergyText(total.without_contract) +
            " have no stated factor and count at the intensity of their place, " +
            EnergyText(total.market_unknown) + " of it not at all because that is not known.";
  notes.push_back(note);
}

void AddSavingNotes(const PeriodReport& report, std::vector<std::string>& notes) {
  const PeriodFigures& total = report.total.figures;
  if (total.ended > total.compared)
    notes.push_back(Runs(total.ended - total.compared) +
                    " that ended could not be compared: an intensity is not known on one of the "
                    "two sides, or is of another kind.");
  if (report.not_ended > 0)
    notes.push_back(Runs(report.not_ended) +
                    (report.not_ended == 1 ? " has not ended: its saving is"
                                           : " have not ended: their savings are") +
                    " told in the period in which it ends.");
  if (report.saved_without_interval > 0)
    notes.push_back("The interval of the saving does not cover " +
                    Runs(report.saved_without_interval) + " of which only sums are kept.");
}

void AddLeftOut(const PeriodReport& report, std::vector<std::string>& notes) {
  const LeftOut& replayed = report.replayed;
  if (replayed.runs > 0)
    notes.push_back("Left out: " + Runs(replayed.runs) + " with " + EnergyText(replayed.energy) +
                    " on a replayed grid clock, whose emissions are of other hours.");
  if (report.request.with_replayed)
    notes.push_back(
        "Runs on a replayed grid clock are in it: their emissions are of other hours than those in "
        "which they ran. Such a report is not for signing.");
  if (report.twice.runs > 0)
    notes.push_back(EnergyText(report.twice.energy) + " of " + Runs(report.twice.runs) +
                    " were read by another run as well, and count once.");
  if (report.other_signal.runs > 0)
    notes.push_back(Runs(report.other_signal.runs) + " with " +
                    EnergyText(report.other_signal.energy) +
                    " decided on another kind or boundary of intensity: their grams are on their "
                    "second signal, or not known.");
}

}  // namespace

std::string EnergyWithShare(Energy energy, double half_width_j) {
  const std::string text = EnergyText(energy);
  return energy == Energy{} ? text : text + " " + ShareText(half_width_j / energy.joules());
}

std::string GramsWithShare(std::optional<std::int64_t> micrograms, double half_width_g) {
  if (!micrograms) return "unknown";
  const std::string text = EmissionsText({Grams(*micrograms)});
  return *micrograms == 0 ? text : text + " " + ShareText(half_width_g / Grams(*micrograms));
}

std::string SavedText(const PeriodRow& row) {
  if (row.figures.compared == 0) return "nothing to compare";
  const double grams = Grams(row.figures.saved_ug());
  const std::string size = EmissionsText({std::abs(grams)});
  if (grams == 0) return "0 g";
  const std::string interval = " \u00b1 " + EmissionsText({row.saved_half_g});
  const std::string text = (grams < 0 ? "worse by " + size : size) + interval;
  return std::abs(grams) > row.saved_half_g ? text : text + " (no clear difference)";
}

Energy OnMeasured(const PeriodFigures& figures) {
  return figures.on_status[static_cast<std::size_t>(core::SampleStatus::kMeasured)];
}
Energy OnEstimated(const PeriodFigures& figures) {
  return figures.energy - figures.without_intensity - OnMeasured(figures);
}

std::string IntensityCoverage(const PeriodFigures& figures) {
  if (figures.energy == Energy{}) return "no energy";
  return "measured " + PercentText(OnMeasured(figures), figures.energy) + ", estimated " +
         PercentText(OnEstimated(figures), figures.energy) + ", unknown " +
         PercentText(figures.without_intensity, figures.energy);
}

std::string EnergyCoverage(const PeriodFigures& figures) {
  if (figures.energy == Energy{}) return "no energy";
  return "measured " + PercentText(figures.measured, figures.energy) + ", estimated " +
         PercentText(figures.energy - figures.measured, figures.energy);
}

std::string DateText(const std::string& text) {
  static constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto month = ParseInteger(text.substr(5, 2)).value_or(1);
  const std::string day = std::to_string(ParseInteger(text.substr(8, 2)).value_or(1)) + " " +
                          kMonths[static_cast<std::size_t>(month - 1)] + " " + text.substr(0, 4);
  return text.ends_with(" 00:00") ? day : day + text.substr(10);
}

std::string PercentText(Energy part, Energy whole) {
  return FormatFixed(100 * part.joules() / whole.joules(), 0) + " %";
}

std::string RowName(const PeriodRow& row) { return row.name.empty() ? "unknown" : row.name; }

std::string PeriodTitle(const PeriodRequest& request) {
  return DateText(request.from) + " to " + DateText(request.to) + ", " + request.time_zone;
}

std::vector<std::string> PeriodNotes(const PeriodReport& report) {
  std::vector<std::string> notes;
  const PeriodFigures& total = report.total.figures;
  AddMarketNote(report, notes);
  if (total.without_intensity > Energy{})
    notes.push_back("The emissions of " + EnergyText(total.without_intensity) +
                    " are not known: they are in no figure of emissions, and not 0.");
  if (total.unmetered >= std::chrono::minutes{1})
    notes.push_back("For " + FormatDuration(total.unmetered) +
                    " a run ran and nothing was read: its energy then is not in it.");
  AddSavingNotes(report, notes);
  AddLeftOut(report, notes);
  if (total.of_pruned > Energy{})
    notes.push_back(EnergyText(total.of_pruned) +
                    " are of jobs whose ledger was pruned: each lies whole on the day on which it "
                    "ended, and counts as estimated.");
  if (report.not_final > 0)
    notes.push_back("The intensities of " + Runs(report.not_final) +
                    " may still be revised: a run's are final when its source was asked a week "
                    "after its end or later (ebb report settle).");
  return notes;
}

}  // namespace ebb::report
