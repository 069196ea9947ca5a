// Data points of ESRS E1 as CSV. Values have all their digits: MWh of whole microjoules to 12
// decimals, tonnes of whole micrograms exactly. The whole numbers stand beside them, so that rows
// add up to the total whatever a spreadsheet makes of the decimals.
#include "base/text.h"
#include "report/exact_text.h"
#include "report/impact/documents.h"
#include "report/impact/impact_words.h"
#include "report/period/period_words.h"
#include "report/table_columns.h"

namespace ebb::report {
namespace {

constexpr std::size_t kDecimals = 12;
// Microjoules in 10^-12 MWh.
constexpr std::int64_t kMicrojoulesInPicoMwh = 3600;

enum class Measure { kEnergy, kEmissions };

// A data point, and its value in a row of the report. `exact` is in microjoules or micrograms.
struct DataPoint {
  std::string disclosure, id, paragraph, name;
  Measure measure = Measure::kEnergy;
  std::function<std::optional<std::int64_t>(const PeriodRow&)> exact{};
  std::function<std::optional<double>(const PeriodRow&)> half_share{};  ///< of the 95 % interval
  std::function<std::string(const PeriodRow&)> coverage{};
  std::string method{}, remark{};
  bool total_only = false;
};

struct EsrsLine {
  const DataPoint& point;
  const PeriodRow& row;
  std::string part, name;
};

double Share(double half, double value) { return value > 0 ? half / value : 0; }

DataPoint Electricity(const PeriodReport& report) {
  return {
      "E1-5",
      "E1-5_01",
      "37",
      "Total energy consumption related to own operations",
      Measure::kEnergy,
      [](const PeriodRow& row) { return row.figures.facility_energy.microjoules(); },
      [](const PeriodRow& row) { return Share(row.energy_half_j, row.figures.energy.joules()); },
      [](const PeriodRow& row) { return EnergyCoverage(row.figures); },
      "read by Ebb, with a PUE of " + PueText(report.facts),
      "only the electricity of the measured runs; add all other energy"};
}

// The mix of the electricity: an intensity does not say its sources.
DataPoint Unknown(const char* id, const char* paragraph, const char* name) {
  DataPoint point{"E1-5", id, paragraph, name};
  point.remark = "not known to Ebb, which knows the intensity of electricity and not its sources";
  point.total_only = true;
  return point;
}

DataPoint LocationBased(const PeriodReport& report) {
  std::string remark;
  if (report.request.boundary != core::Boundary::kDirect)
    remark =
        report.request.boundary == core::Boundary::kLifecycle
            ? "the intensity is a life-cycle one: it includes emissions of Scope 3, category 3"
            : "it is not known whether the intensity includes emissions of Scope 3, category 3";
  return {"E1-6",
          "E1-6_09",
          "49 (a)",
          "Gross location-based Scope 2 GHG emissions",
          Measure::kEmissions,
          [](const PeriodRow& row) { return row.figures.known_emissions_ug(); },
          [](const PeriodRow& row) {
            return Share(row.emissions_half_g, Grams(row.figures.emissions_ug));
          },
          [](const PeriodRow& row) { return "intensity: " + IntensityCoverage(row.figures); },
          "electricity with PUE x average intensity of the grid zone in each interval",
          remark};
}

DataPoint MarketBased(const PeriodReport& report) {
  const bool has_factor = report.request.IsMarketBased();
  return {
      "E1-6",
      "E1-6_10",
      "49 (b)",
      "Gross market-based Scope 2 GHG emissions",
      Measure::kEmissions,
      [has_factor](const PeriodRow& row) {
        return has_factor ? row.figures.known_market_ug() : std::nullopt;
      },
      [](const PeriodRow& row) { return Share(row.market_half_g, Grams(row.figures.market_ug)); },
      [has_factor](const PeriodRow& row) -> std::string {
        if (!has_factor || row.figures.energy == Energy{}) return "";
        return "by contract " + PercentText(row.figures.by_contract, row.figures.energy) +
               ", without a stated factor " +
               PercentText(row.figures.without_contract, row.figures.energy);
      },
      "electricity with PUE x factor as stated; without one, the intensity of the place",
      has_factor ? "" : "no factor was given (--supplier-factor, --residual-mix)"};
}

DataPoint Embodied() {
  return {"E1-6",
          "E1-6_11",
          "51",
          "Gross Scope 3 GHG emissions: making of the hardware",
          Measure::kEmissions,
          [](const PeriodRow& row) { return row.figures.known_embodied_ug(); },
          [](const PeriodRow&) { return std::nullopt; },
          [](const PeriodRow&) { return ""; },
          "share by running time of embodied emissions that users state (SCI, ISO/IEC 21031)",
          "fits hired hardware; the GHG Protocol counts bought hardware (category 2) whole in the "
          "year of purchase"};
}

std::vector<DataPoint> DataPoints(const PeriodReport& report) {
  return {Electricity(report),
          Unknown("E1-5_02", "37 (a)", "Total energy consumption from fossil sources"),
          Unknown("E1-5_03", "37 (b)", "Total energy consumption from nuclear sources"),
          Unknown("E1-5_05", "37 (c)", "Total energy consumption from renewable sources"),
          LocationBased(report),
          MarketBased(report),
          Embodied()};
}

std::optional<std::int64_t> ExactOf(const EsrsLine& line) {
  return line.point.exact ? line.point.exact(line.row) : std::nullopt;
}

std::string ValueText(std::int64_t exact, Measure measure) {
  if (measure == Measure::kEmissions) return ExactText(exact, kDecimals);
  return ExactText((exact + kMicrojoulesInPicoMwh / 2) / kMicrojoulesInPicoMwh, kDecimals);
}

// The end of the 95 % interval, in the unit of the value.
Plain EndOfInterval(const EsrsLine& line, double sign) {
  const auto exact = ExactOf(line);
  const auto share = exact ? line.point.half_share(line.row) : std::nullopt;
  if (!share) return {};
  const double unit = line.point.measure == Measure::kEnergy ? 3.6e15 : 1e12;
  const double end = static_cast<double>(*exact) / unit * (1 + sign * *share);
  return FormatSignificant(std::max(0.0, end), 6);
}

std::vector<Column<EsrsLine>> EsrsColumns() {
  using L = const EsrsLine&;
  const auto is_energy = [](L l) { return l.point.measure == Measure::kEnergy; };
  return {
      {"disclosure", [](L l) { return l.point.disclosure; }},
      {"data_point", [](L l) { return l.point.id; }},
      {"paragraph", [](L l) { return l.point.paragraph; }},
      {"what", [](L l) { return l.point.name; }},
      {"part", [](L l) { return l.part; }},
      {"name", [](L l) { return l.name; }},
      {"value",
       [](L l) {
         return PlainOf(ExactOf(l), [&](std::int64_t exact) {
           return Plain(ValueText(exact, l.point.measure));
         });
       }},
      {"unit", [is_energy](L l) { return is_energy(l) ? "MWh" : "tCO2eq"; }},
      {"low", [](L l) { return EndOfInterval(l, -1); }},
      {"high", [](L l) { return EndOfInterval(l, 1); }},
      {"exact", [](L l) { return PlainOf(ExactOf(l)); }},
      {"exact_unit", [is_energy](L l) { return is_energy(l) ? "uJ" : "ug"; }},
      {"coverage", [](L l) { return l.point.coverage ? l.point.coverage(l.row) : ""; }},
      {"method", [](L l) { return l.point.method; }},
      {"remark", [](L l) { return l.point.remark; }},
  };
}

}  // namespace

std::string EsrsCsv(const PeriodReport& report) {
  const std::vector<DataPoint> points = DataPoints(report);
  const std::string by(Name(report.request.by));
  std::vector<EsrsLine> lines;
  for (const DataPoint& point : points) {
    if (!point.total_only)
      for (const PeriodRow& row : report.rows) lines.push_back({point, row, by, row.name});
    lines.push_back({point, report.total, "total", ""});
  }
  return CsvOf(EsrsColumns(), lines);
}

}  // namespace ebb::report
