#include "report/run/figures.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "core/run/accounting.h"

namespace ebb::report {
namespace {

using core::LedgerRow;

std::string BasisText(Energy measured, Energy energy) {
  if (measured == Energy{}) return "estimated";
  return measured == energy ? "measured" : "partly measured";
}

std::vector<std::string> EnergySources(const std::vector<LedgerRow>& rows, core::MeterScope scope) {
  std::set<std::string> sources;
  for (const LedgerRow& row : rows) sources.insert(EnergyWayText(core::WayOf(row, scope)));
  return {sources.begin(), sources.end()};
}

std::vector<std::string> WithIntensity(const std::vector<LedgerRow>& rows,
                                       std::vector<std::string> sources) {
  std::set<std::string> statuses;
  for (const LedgerRow& row : rows)
    statuses.insert("intensity: " +
                    (row.intensity ? std::string(core::Name(row.intensity_status)) : "unknown"));
  sources.insert(sources.end(), statuses.begin(), statuses.end());
  return sources;
}

Figure EnergyFigure(std::string name, const std::vector<LedgerRow>& rows, double joules,
                    core::MeterScope scope) {
  const core::Uncertainty sure = core::UncertaintyOf(rows, scope);
  Energy energy;
  for (const LedgerRow& row : rows) energy += row.energy;
  return {std::move(name), joules, core::BandOf(joules, sure.energy_share * joules),
          BasisText(sure.measured, energy), EnergySources(rows, scope)};
}

void AddComponents(const core::RunRecord& run, std::vector<Figure>& figures) {
  for (const auto component :
       {core::Component::kCpu, core::Component::kGpu, core::Component::kRam}) {
    std::vector<LedgerRow> rows;
    double joules = 0;
    for (const LedgerRow& row : run.ledger) {
      if (row.component != component) continue;
      rows.push_back(row);
      joules += row.energy.joules();
    }
    if (!rows.empty())
      figures.push_back(EnergyFigure(std::string(core::Name(component)) + "_energy_j", rows, joules,
                                     run.spec.scope));
  }
}

// Counts are exact, so a figure per unit has the share of its numerator.
void AddPerUnit(const core::RunRecord& run, const Summary& summary, std::vector<Figure>& figures) {
  const std::vector<std::string> sources = EnergySources(run.ledger, run.spec.scope);
  const core::Uncertainty& sure = summary.uncertainty;
  for (const core::UnitUse& use : summary.per_unit) {
    figures.push_back({core::EnergyPerKey(use.unit), use.joules,
                       core::BandOf(use.joules, sure.energy_share * use.joules),
                       EnergyBasis(summary), sources});
    if (!use.grams) continue;
    figures.push_back({core::EmissionsPerKey(use.unit), *use.grams,
                       core::BandOf(*use.grams, sure.emissions_share * *use.grams), "estimated",
                       WithIntensity(run.ledger, sources)});
  }
}

// All grams of a run share its errors, since they have the same energy and signal. A saving is a
// difference of hours.
void AddEmissions(const core::RunRecord& run, const Summary& summary,
                  std::vector<Figure>& figures) {
  const auto sources = WithIntensity(run.ledger, EnergySources(run.ledger, run.spec.scope));
  const double share = summary.uncertainty.emissions_share;
  const auto add = [&](std::string name, double grams) {
    const double half_width = share * std::abs(grams);
    figures.push_back(
        {std::move(name), grams, {grams - half_width, grams + half_width}, "estimated", sources});
  };
  add("emissions_g", summary.totals.emissions.grams);
  if (const auto& at = summary.at_submission; at && at->saving) {
    add("emissions_at_submission_g", at->run.emissions.grams);
    add("saving_g", at->saving->grams);
    const double half_width = at->half_width_g.value_or(0);
    figures.back().band = {at->saving->grams - half_width, at->saving->grams + half_width};
  }
  if (const auto& best = summary.best_in_hindsight)
    add("best_emissions_in_hindsight_g", best->run.emissions.grams);
  if (summary.other && summary.other->totals.emissions.grams > 0) {
    const double grams = summary.other->totals.emissions.grams;
    const double half_width = summary.other->uncertainty.emissions_share * grams;
    const auto rows = core::OnOtherSignal(run.ledger);
    figures.push_back({std::string(core::Name(summary.other->kind)) + "_emissions_g",
                       grams,
                       {grams - half_width, grams + half_width},
                       "estimated",
                       WithIntensity(rows, EnergySources(rows, run.spec.scope))});
  }
  for (Figure& figure : figures)
    if (figure.name != "saving_g") figure.band.low = std::max(0.0, figure.band.low);
}

}  // namespace

std::vector<Figure> FiguresOf(const core::RunRecord& as_stored, const Summary& summary) {
  const core::RunRecord run = core::Accounted(as_stored);
  std::vector<Figure> figures;
  if (run.ledger.empty()) return figures;
  figures.push_back(
      EnergyFigure("energy_j", run.ledger, summary.totals.energy.joules(), run.spec.scope));
  figures.push_back(EnergyFigure("facility_energy_j", run.ledger,
                                 summary.totals.facility_energy.joules(), run.spec.scope));
  AddComponents(run, figures);
  if (summary.totals.energy_without_intensity != summary.totals.energy)
    AddEmissions(run, summary, figures);
  AddPerUnit(run, summary, figures);
  return figures;
}

std::string EnergyWayText(core::EnergyWay way) {
  const bool divided = way.shared && way.source != core::EnergySource::kModel;
  const char* how = way.component == core::Component::kGpu ? ", shared" : ", shared by use";
  return std::string(core::Name(way.component)) + ": " + std::string(core::Name(way.source)) +
         (divided ? how : "");
}

std::string EnergyBasis(const Summary& summary) {
  return BasisText(summary.uncertainty.measured, summary.totals.energy);
}

std::string ShareText(double share) { return "± " + FormatFixed(100 * share, 0) + " %"; }

}  // namespace ebb::report
