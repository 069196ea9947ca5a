#include "signals/providers/entsoe_generation.h"

#include <array>

#include "base/text.h"
#include "signals/http/web_request.h"
#include "signals/traces/entsoe_document.h"

namespace ebb::signals {
namespace {

constexpr Duration kQuarter{std::chrono::minutes{15}};
constexpr std::uint64_t kLimitBytes = 32 << 20;
constexpr Duration kTimeout{60'000};
// Types of plants of the platform's code list.
constexpr auto kFuels = std::to_array<NamedFuel>(
    {{"B01", Fuel::kBiomass},      {"B02", Fuel::kCoal},  // lignite
     {"B03", Fuel::kCoal},                                // gas made of coal
     {"B04", Fuel::kGas},          {"B05", Fuel::kCoal},    {"B06", Fuel::kOil},
     {"B07", Fuel::kCoal},                                                          // oil shale
     {"B08", Fuel::kCoal},                                                          // peat
     {"B09", Fuel::kGeothermal},   {"B10", Fuel::kStorage},                         // pumped
     {"B11", Fuel::kHydro},        {"B12", Fuel::kHydro},   {"B13", Fuel::kHydro},  // marine
     {"B14", Fuel::kNuclear},      {"B15", Fuel::kBiomass},  // other renewable
     {"B16", Fuel::kSolar},        {"B17", Fuel::kBiomass},  // waste
     {"B18", Fuel::kWindOffshore}, {"B19", Fuel::kWind},    {"B20", Fuel::kOther},
     {"B25", Fuel::kStorage}});

Error Bad(std::string what, const std::string& where) {
  return {ExitCode::kUnavailable, std::move(what), where, "check the token and the zone"};
}

}  // namespace

Result<std::vector<GenerationRow>> ParseEntsoeGeneration(std::string_view body,
                                                         const std::string& where) {
  auto document = ParseEntsoeDocument(body, where);
  if (!document) {
    document.error().code = ExitCode::kUnavailable;
    return Fail(document.error());
  }
  if (document->refusal) return Fail(Bad("the platform refused: " + *document->refusal, where));
  if (document->type != "A75")
    return Fail(Bad("is a document of type " + Quoted(document->type) + ", not of generation (A75)",
                    where));
  std::vector<GenerationRow> rows;
  for (const EntsoeSeries& series : document->series) {
    if (series.is_consumption) continue;
    if (series.unit != "MAW")
      return Fail(Bad("power in " + Quoted(series.unit) + " is not in MAW", where));
    const Fuel fuel = FuelOf(kFuels, series.plants);
    for (const EntsoeValue& value : series.values)
      for (Time begin = value.interval.begin; begin < value.interval.end; begin += kQuarter)
        rows.push_back({begin, series.plants, fuel, value.value});
  }
  return rows;
}

OperatorMix EntsoeGenerationMix(const EntsoeGenerationOptions& options) {
  OperatorMix mix;
  mix.name = "entso-e";
  mix.zone = options.zone;
  mix.credit = "ENTSO-E transparency platform, generation by type";
  mix.base_url = options.base_url;
  mix.boundary = options.boundary;
  mix.step = kQuarter;
  mix.asks_again = std::chrono::hours{6};
  mix.history = std::chrono::days{14};
  mix.hint = "check the token of ENTSO-E";
  mix.questions = [options](Time begin, Time now) {
    MixQuestion question;
    question.request.url = options.base_url +
                           "/api?documentType=A75&processType=A16&in_Domain=" + options.area +
                           "&periodStart=" + EntsoeStamp(begin) + "&periodEnd=" + EntsoeStamp(now) +
                           "&securityToken=" + UrlEscape(options.token);
    question.request.headers = {"Accept: application/xml"};
    question.request.limit_bytes = kLimitBytes;
    question.request.timeout = kTimeout;
    question.read = ParseEntsoeGeneration;
    return std::vector{std::move(question)};
  };
  return mix;
}

}  // namespace ebb::signals
