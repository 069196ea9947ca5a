#include "signals/providers/open_electricity.h"

#include <array>

namespace ebb::signals {
namespace {

constexpr Duration kStep{std::chrono::minutes{5}};
constexpr Duration kLongestInterval{std::chrono::hours{1}};
constexpr auto kPaths =
    std::to_array<std::pair<std::string_view, const char*>>({{"AU-NSW", "NEM/NSW1"},
                                                             {"AU-QLD", "NEM/QLD1"},
                                                             {"AU-SA", "NEM/SA1"},
                                                             {"AU-TAS", "NEM/TAS1"},
                                                             {"AU-VIC", "NEM/VIC1"},
                                                             {"AU-WA", "WEM"}});
constexpr auto kFuels = std::to_array<NamedFuel>({{"coal_black", Fuel::kCoal},
                                                  {"coal_brown", Fuel::kCoal},
                                                  {"gas_ccgt", Fuel::kGas},
                                                  {"gas_ocgt", Fuel::kGas},
                                                  {"gas_recip", Fuel::kGas},
                                                  {"gas_steam", Fuel::kGas},
                                                  {"gas_wcmg", Fuel::kGas},  // of coal mines
                                                  {"distillate", Fuel::kOil},
                                                  {"bioenergy_biogas", Fuel::kBiomass},
                                                  {"bioenergy_biomass", Fuel::kBiomass},
                                                  {"hydro", Fuel::kHydro},
                                                  {"solar_rooftop", Fuel::kSolar},
                                                  {"solar_utility", Fuel::kSolar},
                                                  {"solar_thermal", Fuel::kSolar},
                                                  {"wind", Fuel::kWind},
                                                  {"wind_offshore", Fuel::kWindOffshore},
                                                  {"nuclear", Fuel::kNuclear},
                                                  {"battery", Fuel::kStorage},
                                                  {"battery_charging", Fuel::kStorage},
                                                  {"battery_discharging", Fuel::kStorage},
                                                  {"pumps", Fuel::kStorage},
                                                  {"imports", Fuel::kImports},
                                                  {"exports", Fuel::kImports}});

// Reads {"start": "2025-07-10T21:15:00+10:00", "interval": "5m", "data": [10.6, null, ...]}.
Status ReadHistory(const JsonNode& history, const std::string& technology, std::string_view body,
                   const std::string& where, std::vector<GenerationRow>& rows) {
  const auto start = history.TimeOf("start");
  const auto interval = ParseDuration(history.TextOf("interval"));
  const JsonNode* data = history.Find("data");
  if (!start || !interval || *interval < kStep || *interval > kLongestInterval || !data ||
      !data->is_list())
    return Fail(BadAnswer("a history has no start, interval and data", body, where));
  Time begin = *start;
  for (const JsonNode& value : data->items) {
    if (!value.is_null() && !value.AsNumber())
      return Fail(BadAnswer("a value of a history is not a number", body, where));
    for (const Time end = begin + *interval; begin < end; begin += kStep)
      rows.push_back({begin, technology, FuelOf(kFuels, technology), value.AsNumber()});
  }
  return {};
}

}  // namespace

std::optional<std::string> OpenElectricityPath(std::string_view zone) {
  for (const auto& [known, path] : kPaths)
    if (known == zone) return path;
  return std::nullopt;
}

bool OpenElectricityIsLate(std::string_view zone) { return zone == "AU-WA"; }

Result<std::vector<GenerationRow>> ParseOpenElectricity(std::string_view body,
                                                        const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  const JsonNode* series = root.Find("data");
  if (!series || !series->is_list())
    return Fail(BadAnswer("the answer holds no series", body, where));
  std::vector<GenerationRow> rows;
  for (const JsonNode& one : series->items) {
    // The answer also has prices, temperatures and emissions, which have no technology.
    const std::string technology = one.TextOf("fuel_tech");
    if (technology.empty() || one.TextOf("type") != "power") continue;
    const JsonNode* history = one.Find("history");
    if (one.TextOf("units") != "MW" || !history)
      return Fail(BadAnswer("a series has no history of megawatts", body, where));
    EBB_RETURN_IF_ERROR(ReadHistory(*history, technology, body, where, rows));
  }
  return rows;
}

OperatorMix OpenElectricityMix(std::string base_url, std::string zone, const std::string& path,
                               core::Boundary boundary) {
  OperatorMix mix;
  mix.name = "openelectricity";
  mix.zone = std::move(zone);
  mix.credit = "OpenElectricity (data of AEMO), generation by technology";
  mix.base_url = std::move(base_url);
  mix.boundary = boundary;
  mix.step = kStep;
  mix.questions = [url = mix.base_url + "/v4/stats/au/" + path + "/power/7d.json"](Time, Time) {
    MixQuestion question;
    question.request.url = url;
    question.request.headers = {"Accept: application/json"};
    question.read = ParseOpenElectricity;
    return std::vector{std::move(question)};
  };
  return mix;
}

}  // namespace ebb::signals
