#include "signals/providers/eia930.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "signals/http/web_request.h"

namespace ebb::signals {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
// An answer has at most 5,000 rows: that is this many hours of up to sixteen fuels.
constexpr Duration kHistory{std::chrono::days{12}};
constexpr Duration kRevised{std::chrono::days{2}};
constexpr auto kFuels = std::to_array<NamedFuel>({{"COL", Fuel::kCoal},
                                                  {"NG", Fuel::kGas},
                                                  {"OIL", Fuel::kOil},
                                                  {"NUC", Fuel::kNuclear},
                                                  {"WAT", Fuel::kHydro},
                                                  {"SUN", Fuel::kSolar},
                                                  {"SNB", Fuel::kSolar},  // with batteries
                                                  {"WND", Fuel::kWind},
                                                  {"WNB", Fuel::kWind},
                                                  {"GEO", Fuel::kGeothermal},
                                                  {"BAT", Fuel::kStorage},
                                                  {"PS", Fuel::kStorage},
                                                  {"UES", Fuel::kStorage},
                                                  {"OES", Fuel::kStorage},
                                                  {"OTH", Fuel::kOther},
                                                  {"UNK", Fuel::kOther}});

// Written as "2026-05-06T05".
std::string Hour(Time time) { return FormatTime(time).substr(0, 13); }

Result<GenerationRow> ReadRow(const JsonNode& row, const std::string& where) {
  const std::string period = row.TextOf("period");
  const auto end = ParseTime(period + ":00Z");
  const std::string fuel = row.TextOf("fueltype");
  const JsonNode* value = row.Find("value");
  if (!end || fuel.empty() || !value)
    return Fail({ExitCode::kUnavailable, "a row has no period, fuel type and value", where,
                 "compare the answer with the API's documentation"});
  GenerationRow made{*end - kHour, fuel, FuelOf(kFuels, fuel), value->AsNumber()};
  if (const auto text = value->AsText()) {
    EBB_ASSIGN_OR_RETURN(made.megawatts, MegawattsFrom(*text, where));
  }
  return made;
}

}  // namespace

std::optional<std::string> EiaRespondent(std::string_view zone) {
  if (zone == "US") return "US48";
  if (!zone.starts_with("US-") || zone.starts_with("US-AK") || zone.starts_with("US-HI"))
    return std::nullopt;
  const auto dash = zone.rfind('-');
  if (dash == 2) return std::nullopt;
  return std::string(zone.substr(dash + 1));
}

Result<std::vector<GenerationRow>> ParseEia930(std::string_view body, const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  const JsonNode* data = root.At("/response/data");
  if (!data || !data->is_list()) return Fail(BadAnswer("the answer holds no rows", body, where));
  std::vector<GenerationRow> rows;
  for (const JsonNode& node : data->items) {
    EBB_ASSIGN_OR_RETURN(GenerationRow row, ReadRow(node, where));
    rows.push_back(std::move(row));
  }
  return rows;
}

OperatorMix Eia930Mix(const Eia930Options& options) {
  OperatorMix mix;
  mix.name = "eia-930";
  mix.zone = options.zone;
  mix.credit = "EIA-930 (U.S. Energy Information Administration)";
  mix.base_url = options.base_url;
  mix.boundary = options.boundary;
  mix.step = kHour;
  mix.asks_again = kRevised;
  mix.history = kHistory;
  mix.hint = "check the key of EIA; a free one is at https://www.eia.gov/opendata";
  mix.questions = [options](Time begin, Time now) {
    MixQuestion question;
    question.request.url =
        options.base_url + "/v2/electricity/rto/fuel-type-data/data/?frequency=hourly&" +
        UrlEscape("data[0]") + "=value&" + UrlEscape("facets[respondent][]") + "=" +
        UrlEscape(options.respondent) + "&start=" + Hour(begin) + "&end=" + Hour(now + kHour) +
        "&" + UrlEscape("sort[0][column]") + "=period&" + UrlEscape("sort[0][direction]") +
        "=desc&offset=0&length=5000&api_key=" + UrlEscape(options.key);
    question.read = ParseEia930;
    return std::vector{std::move(question)};
  };
  return mix;
}

}  // namespace ebb::signals
