#include "signals/providers/spp.h"

#include <algorithm>
#include <array>

#include "base/csv.h"
#include "base/text.h"

namespace ebb::signals {
namespace {

constexpr Duration kStep{std::chrono::minutes{5}};
constexpr std::string_view kArea = "SPP";
constexpr auto kFuels = std::to_array<NamedFuel>({{"Coal", Fuel::kCoal},
                                                  {"Natural Gas", Fuel::kGas},
                                                  {"Gas", Fuel::kGas},
                                                  {"Diesel Fuel Oil", Fuel::kOil},
                                                  {"Waste Disposal Services", Fuel::kBiomass},
                                                  {"Nuclear", Fuel::kNuclear},
                                                  {"Hydro", Fuel::kHydro},
                                                  {"Solar", Fuel::kSolar},
                                                  {"Wind", Fuel::kWind},
                                                  {"Energy Storage", Fuel::kStorage},
                                                  {"Waste Heat", Fuel::kOther},
                                                  {"Other", Fuel::kOther}});
// Columns that are not generation.
constexpr auto kOtherColumns =
    std::to_array<std::string_view>({"BAA", "Load", "Average Actual Load"});

bool IsGeneration(std::string_view column) {
  return std::ranges::find(kOtherColumns, column) == kOtherColumns.end();
}

Fuel FuelOfColumn(std::string_view column) {
  for (const std::string_view way : {" Market", " Self"})
    if (column.ends_with(way)) column.remove_suffix(way.size());
  return FuelOf(kFuels, column);
}

Status ReadRow(const CsvReader& csv, const std::vector<std::string>& header,
               const std::string& where, std::vector<GenerationRow>& rows) {
  const auto& fields = csv.fields();
  const auto end = ParseTime(fields[0]);
  if (!end || fields.size() != header.size())
    return Fail({ExitCode::kUnavailable, "line " + std::to_string(csv.line()) + " is not a row",
                 where, "compare the answer with the operator's page"});
  const auto area = std::ranges::find(header, "BAA");
  if (area != header.end() && fields[static_cast<std::size_t>(area - header.begin())] != kArea)
    return {};
  for (std::size_t i = 1; i < header.size(); ++i) {
    if (!IsGeneration(header[i])) continue;
    EBB_ASSIGN_OR_RETURN(const auto megawatts, MegawattsFrom(fields[i], where));
    rows.push_back({*end - kStep, header[i], FuelOfColumn(header[i]), megawatts});
  }
  return {};
}

}  // namespace

Result<std::vector<GenerationRow>> ParseSpp(std::string_view body, const std::string& where) {
  CsvReader csv(body, where, CsvBlanks::kTrimmed);
  EBB_ASSIGN_OR_RETURN(const bool has_header, csv.Next());
  if (!has_header || csv.fields().size() < 3 || csv.fields()[0] != "GMT MKT Interval")
    return Fail(BadAnswer("the answer is not a table of fuels by time", body, where));
  const std::vector<std::string> header(csv.fields().begin(), csv.fields().end());
  std::vector<GenerationRow> rows;
  EBB_RETURN_IF_ERROR(csv.ForEach([&] { return ReadRow(csv, header, where, rows); }));
  return rows;
}

Result<OperatorMix> SppMix(std::string base_url, core::Boundary boundary) {
  OperatorMix mix;
  mix.name = "spp";
  mix.zone = kSppZone;
  mix.credit = "Southwest Power Pool, generation mix";
  mix.base_url = std::move(base_url);
  mix.boundary = boundary;
  mix.step = kStep;
  mix.questions = [base = mix.base_url](Time, Time) {
    MixQuestion question;
    question.request.url = base +
                           "/file-browser-api/download/generation-mix-historical"
                           "?path=%2FSPP%2FGenMix2Hour_SPP.csv";
    question.read = ParseSpp;
    return std::vector{std::move(question)};
  };
  return mix;
}

}  // namespace ebb::signals
