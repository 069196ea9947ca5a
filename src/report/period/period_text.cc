// The report of a period for a terminal and as CSV.
#include "base/columns.h"
#include "base/units_text.h"
#include "report/period/period_columns.h"
#include "report/period/period_words.h"

namespace ebb::report {

std::string PeriodText(const PeriodReport& report, std::size_t columns) {
  const PeriodFigures& total = report.total.figures;
  std::string text = PeriodTitle(report.request) + "\n";
  const auto line = [&](const std::string& name, const std::string& value) {
    text += "  " + Padded(name, 13) + value + "\n";
  };
  line("energy", EnergyWithShare(total.energy, report.total.energy_half_j) + ", " +
                     EnergyText(total.facility_energy) + " with PUE; " + EnergyCoverage(total));
  line("emitted", GramsWithShare(total.known_emissions_ug(), report.total.emissions_half_g) +
                      ", location-based, boundary " +
                      std::string(core::Name(report.request.boundary)));
  if (report.request.IsMarketBased())
    line("market-based", GramsWithShare(total.known_market_ug(), report.total.market_half_g));
  line("saved", SavedText(report.total) + ", against submission, by " +
                    std::to_string(total.compared) + " of " + std::to_string(total.ended) +
                    " runs that ended");
  line("intensity", IntensityCoverage(total));
  text += "\n" + AlignedTable(TableFor(Readers::kTerminal, PeriodColumns(report.request),
                                       PeriodLines(report)),
                              columns);
  const auto notes = PeriodNotes(report);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += "  - " + note + "\n";
  return text;
}

std::string PeriodCsv(const PeriodReport& report) {
  return CsvOf(PeriodColumns(report.request), PeriodLines(report));
}

}  // namespace ebb::report
