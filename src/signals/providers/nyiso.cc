#include "signals/providers/nyiso.h"

#include <array>

#include "base/csv.h"
#include "base/text.h"

namespace ebb::signals {
namespace {

constexpr const char* kClock = "America/New_York";
constexpr Duration kStep{std::chrono::minutes{5}};
// How long after midnight the file of a day may be missing.
constexpr Duration kFirstFile{std::chrono::hours{1}};
// "Dual fuel" plants burn gas except on the coldest days. "Other renewables" are, by the file's
// legend, solar, methane, refuse, wood and storage; fuels that are burnt are the larger part.
constexpr auto kFuels = std::to_array<NamedFuel>({{"Dual Fuel", Fuel::kGas},
                                                  {"Natural Gas", Fuel::kGas},
                                                  {"Nuclear", Fuel::kNuclear},
                                                  {"Other Fossil Fuels", Fuel::kOil},
                                                  {"Other Renewables", Fuel::kBiomass},
                                                  {"Wind", Fuel::kWind},
                                                  {"Hydro", Fuel::kHydro}});

// Reads "05/06/2026 00:05:00" with the zone "EDT".
std::optional<Time> ReadTime(std::string_view text, std::string_view zone) {
  const bool is_summer = zone == "EDT";
  if (text.size() < 16 || (!is_summer && zone != "EST")) return std::nullopt;
  const auto time =
      ParseTime(std::string(text.substr(6, 4)) + "-" + std::string(text.substr(0, 2)) + "-" +
                std::string(text.substr(3, 2)) + "T" + std::string(text.substr(11)) +
                (is_summer ? "-04:00" : "-05:00"));
  if (!time) return std::nullopt;
  return *time;
}

}  // namespace

Result<std::vector<GenerationRow>> ParseNyiso(std::string_view body, const std::string& where) {
  CsvReader csv(body, where, CsvBlanks::kTrimmed);
  EBB_ASSIGN_OR_RETURN(const bool has_header, csv.Next());
  const auto& header = csv.fields();
  if (!has_header || header.size() != 4 || header[0] != "Time Stamp" || header[1] != "Time Zone" ||
      header[2] != "Fuel Category" || !header[3].starts_with("Gen MW"))
    return Fail(BadAnswer("the answer is not a table of fuels by time", body, where));
  std::vector<GenerationRow> rows;
  EBB_RETURN_IF_ERROR(csv.ForEach([&]() -> Status {
    const auto& fields = csv.fields();
    const auto end = fields.size() == 4 ? ReadTime(fields[0], fields[1]) : std::nullopt;
    if (!end)
      return Fail({ExitCode::kUnavailable, "line " + std::to_string(csv.line()) + " is not a row",
                   where, "compare the answer with the operator's page"});
    EBB_ASSIGN_OR_RETURN(const auto megawatts, MegawattsFrom(fields[3], where));
    rows.push_back({*end - kStep, std::string(fields[2]), FuelOf(kFuels, fields[2]), megawatts});
    return {};
  }));
  return rows;
}

Result<OperatorMix> NyisoMix(std::string base_url, core::Boundary boundary) {
  EBB_ASSIGN_OR_RETURN(const prices::ZoneClock clock, prices::ZoneClock::Find(kClock));
  OperatorMix mix;
  mix.name = "nyiso";
  mix.zone = kNyisoZone;
  mix.credit = "New York ISO, real-time fuel mix";
  mix.base_url = std::move(base_url);
  mix.boundary = boundary;
  mix.step = kStep;
  mix.questions = [clock, base = mix.base_url](Time begin, Time now) {
    std::vector<MixQuestion> questions;
    const std::vector<std::string> days = LocalDays(clock, begin, now);
    const bool has_begun = LocalDays(clock, now - kFirstFile, now).size() > 1;
    for (const std::string& day : days) {
      MixQuestion question;
      question.request.url = base + "/rtfuelmix/" + day + "rtfuelmix.csv";
      question.read = ParseNyiso;
      question.may_be_missing = has_begun && day == days.back();
      questions.push_back(std::move(question));
    }
    return questions;
  };
  return mix;
}

}  // namespace ebb::signals
