#include "report/period/period_columns.h"

#include "base/text.h"
#include "base/units_text.h"
#include "report/exact_text.h"
#include "report/period/period_words.h"

namespace ebb::report {
namespace {

using L = const PeriodLine&;
using PeriodColumn = Column<PeriodLine>;

// A whole number of millionths with all its digits, so that the fields of a column add up exactly.
Plain Exact(std::optional<std::int64_t> value) {
  if (!value) return {};
  return ExactText(*value, 6);
}
Plain Exact(Energy energy) { return Exact(energy.microjoules()); }
Plain Half(double half_width) { return FormatSignificant(half_width, 6); }
Plain When(bool is_known, Plain plain) { return is_known ? std::move(plain) : Plain(); }

std::string UnknownText(L l) {
  return l.figures.without_intensity == Energy{} ? "" : EnergyText(l.figures.without_intensity);
}

}  // namespace

std::vector<PeriodLine> PeriodLines(const PeriodReport& report) {
  std::vector<PeriodLine> lines;
  for (const PeriodRow& row : report.rows)
    lines.push_back({row, row.figures, row.name, RowName(row)});
  lines.push_back({report.total, report.total.figures, "", "total", "total"});
  return lines;
}

// Files have the columns of market-based figures without stated factors too, with empty fields.
std::vector<PeriodColumn> PeriodColumns(const PeriodRequest& request) {
  const std::string by(Name(request.by)), interval = " \u00b1 ", parts = ", ";
  const bool market = request.IsMarketBased();
  return {
      {"part", [](L l) { return l.part; }},
      {by, [](L l) { return l.name; }, by, [](L l) { return l.shown_name; }},
      {"runs", [](L l) { return l.figures.runs; }, "runs"},
      {"energy_j", [](L l) { return Exact(l.figures.energy); }, "energy",
       [](L l) { return EnergyWithShare(l.figures.energy, l.row.energy_half_j); }, interval},
      {"facility_energy_j", [](L l) { return Exact(l.figures.facility_energy); }},
      {"energy_half_width_j", [](L l) { return Half(l.row.energy_half_j); }},
      {"energy_measured_j", [](L l) { return Exact(l.figures.measured); }},
      {"energy_estimated_j", [](L l) { return Exact(l.figures.energy - l.figures.measured); }},
      {"intensity_measured_j", [](L l) { return Exact(OnMeasured(l.figures)); }},
      {"intensity_estimated_j", [](L l) { return Exact(OnEstimated(l.figures)); }},
      {"intensity_unknown_j", [](L l) { return Exact(l.figures.without_intensity); }},
      {"emissions_location_g", [](L l) { return Exact(l.figures.known_emissions_ug()); }, "emitted",
       [](L l) { return GramsWithShare(l.figures.known_emissions_ug(), l.row.emissions_half_g); },
       interval},
      {"emissions_location_half_width_g",
       [](L l) {
         return When(l.figures.known_emissions_ug().has_value(), Half(l.row.emissions_half_g));
       }},
      {"emissions_market_g",
       [market](L l) { return When(market, Exact(l.figures.known_market_ug())); },
       market ? "market-based" : "",
       [](L l) { return GramsWithShare(l.figures.known_market_ug(), l.row.market_half_g); },
       interval},
      {"emissions_market_half_width_g",
       [market](L l) {
         return When(market && l.figures.known_market_ug(), Half(l.row.market_half_g));
       }},
      {"without_contract_j",
       [market](L l) { return When(market, Exact(l.figures.without_contract)); }},
      {"market_unknown_j", [market](L l) { return When(market, Exact(l.figures.market_unknown)); }},
      {"runs_ended", [](L l) { return l.figures.ended; }},
      {"runs_compared", [](L l) { return l.figures.compared; }},
      {"compared_emissions_g",
       [](L l) { return When(l.compared(), Exact(l.figures.compared_ug)); }},
      {"at_submission_g",
       [](L l) { return When(l.compared(), Exact(l.figures.at_submission_ug)); }},
      {"saved_g", [](L l) { return When(l.compared(), Exact(l.figures.saved_ug())); }, "saved",
       [](L l) { return SavedText(l.row); }, interval},
      {"saved_half_width_g", [](L l) { return When(l.compared(), Half(l.row.saved_half_g)); }},
      {"unmetered_s", [](L l) { return FormatFixed(Seconds(l.figures.unmetered), 3); }},
      PeriodColumn::Shown("intensity unknown", &UnknownText, Readers::kTerminal),
      PeriodColumn::Shown(
          "energy was read", [](L l) { return EnergyCoverage(l.figures); }, Readers::kPage, parts),
      PeriodColumn::Shown(
          "intensity", [](L l) { return IntensityCoverage(l.figures); }, Readers::kPage, parts),
  };
}

}  // namespace ebb::report
