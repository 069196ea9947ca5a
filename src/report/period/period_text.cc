// The report of a period for a terminal and as CSV.
#include <cmath>

#include "base/columns.h"
#include "base/csv.h"
#include "base/text.h"
#include "base/units_text.h"
#include "report/period/period.h"
#include "report/period/period_words.h"

namespace ebb::report {
namespace {

// A whole number of millionths with all its digits.
std::string Millionths(std::int64_t value) {
  std::string digits = std::to_string(std::abs(value));
  if (digits.size() < 7) digits.insert(0, 7 - digits.size(), '0');
  digits.insert(digits.size() - 6, ".");
  return (value < 0 ? "-" : "") + digits;
}
std::string Joules(Energy energy) { return Millionths(energy.microjoules()); }

TextTable TableOf(const PeriodReport& report) {
  const bool market = report.request.IsMarketBased();
  TextTable table{{std::string(Name(report.request.by)), "runs", "energy", "emitted",
                   market ? "market-based" : "", "saved", "intensity unknown"},
                  {},
                  false};
  const auto add = [&](const std::string& name, const PeriodRow& row) {
    const PeriodFigures& figures = row.figures;
    table.rows.push_back(
        {name, std::to_string(figures.runs), EnergyWithShare(figures.energy, row.energy_half_j),
         GramsWithShare(figures.known_emissions_ug(), row.emissions_half_g),
         market ? GramsWithShare(figures.known_market_ug(), row.market_half_g) : "", SavedText(row),
         figures.without_intensity == Energy{} ? "" : EnergyText(figures.without_intensity)});
  };
  for (const PeriodRow& row : report.rows) add(RowName(row), row);
  add("total", report.total);
  return table;
}

std::string GramsField(std::optional<std::int64_t> micrograms) {
  return micrograms ? Millionths(*micrograms) : "";
}

// One line of CSV. An unknown figure is an empty field.
std::string CsvOf(const PeriodRequest& request, const std::string& part, const PeriodRow& row) {
  const PeriodFigures& f = row.figures;
  const bool market = request.IsMarketBased(), compared = f.compared > 0;
  const auto where = [](bool known, const std::string& text) { return known ? text : ""; };
  const auto half = [](double value) { return FormatSignificant(value, 6); };
  const bool total = part == "total";
  return CsvLine({part,
                  total ? "" : row.name,
                  std::to_string(f.runs),
                  Joules(f.energy),
                  Joules(f.facility_energy),
                  half(row.energy_half_j),
                  Joules(f.measured),
                  Joules(f.energy - f.measured),
                  Joules(OnMeasured(f)),
                  Joules(OnEstimated(f)),
                  Joules(f.without_intensity),
                  GramsField(f.known_emissions_ug()),
                  where(f.known_emissions_ug().has_value(), half(row.emissions_half_g)),
                  where(market, GramsField(f.known_market_ug())),
                  where(market && f.known_market_ug(), half(row.market_half_g)),
                  where(market, Joules(f.without_contract)),
                  where(market, Joules(f.market_unknown)),
                  std::to_string(f.ended),
                  std::to_string(f.compared),
                  where(compared, Millionths(f.compared_ug)),
                  where(compared, Millionths(f.at_submission_ug)),
                  where(compared, Millionths(f.saved_ug())),
                  where(compared, half(row.saved_half_g)),
                  FormatFixed(Seconds(f.unmetered), 3)}) +
         "\n";
}

}  // namespace

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
  text += "\n" + AlignedTable(TableOf(report), columns);
  const auto notes = PeriodNotes(report);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += "  - " + note + "\n";
  return text;
}

std::string PeriodCsv(const PeriodReport& report) {
  std::string csv =
      "part," + std::string(Name(report.request.by)) +
      ",runs,energy_j,facility_energy_j,energy_half_width_j,energy_measured_j,energy_estimated_j,"
      "intensity_measured_j,intensity_estimated_j,intensity_unknown_j,emissions_location_g,"
      "emissions_location_half_width_g,emissions_market_g,emissions_market_half_width_g,"
      "without_contract_j,market_unknown_j,runs_ended,runs_compared,compared_emissions_g,at_"
      "submission_g,saved_g,"
      "saved_half_width_g,unmetered_s\n";
  for (const PeriodRow& row : report.rows) csv += CsvOf(report.request, "part", row);
  return csv + CsvOf(report.request, "total", report.total);
}

}  // namespace ebb::report
