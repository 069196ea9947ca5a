#include "signals/providers/energy_charts_intensity.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "signals/http/payload_points.h"
#include "signals/http/web_request.h"

namespace ebb::signals {
namespace {

// Zones that are a whole country under the code that Energy-Charts has for it.
constexpr auto kCountries = std::to_array<std::string_view>(
    {"AL", "AM", "AT", "AZ", "BA", "BE", "BG", "BY", "CH", "CY", "CZ", "DE", "DK", "EE",
     "ES", "FI", "FR", "GE", "GR", "HR", "HU", "IE", "IT", "LT", "LU", "LV", "MD", "ME",
     "MK", "MT", "NL", "NO", "PL", "PT", "RO", "RS", "RU", "SE", "SI", "SK", "TR", "UA"});
struct NamedCountry {
  std::string_view zone, country;
};
constexpr std::array<NamedCountry, 3> kOtherNames{{{"GB", "uk"}, {"GB-NIR", "nie"}, {"XK", "xk"}}};

// Measured values of some countries come hours late: each question reaches back this far, so that
// they replace the estimates.
constexpr Duration kLateValues{std::chrono::hours{6}};
// The longest span of one question; Energy-Charts answers years, but Ebb does not need them.
constexpr Duration kLongestRange{std::chrono::days{100}};
constexpr Duration kAhead{std::chrono::hours{48}};

// A value of one of the two lists; nullopt if the list is missing or the value is null.
Result<std::optional<double>> ValueAt(const JsonNode* list, std::size_t i, std::string_view body,
                                      const std::string& where) {
  if (!list || list->items[i].is_null()) return std::optional<double>();
  if (const auto number = list->items[i].AsNumber()) return number;
  return Fail(BadAnswer("a value of the answer is not a number", body, where));
}

class EnergyChartsIntensity final : public Provider {
 public:
  EnergyChartsIntensity(EnergyChartsIntensityOptions options, HttpGetFunction http_get)
      : options_(std::move(options)),
        http_get_(std::move(http_get)),
        identity_{
            options_.zone, core::SignalKind::kAverage, options_.boundary,
            "Energy-Charts.info (Fraunhofer ISE, CC BY 4.0), " + ShownUrl(options_.base_url)} {}

  const std::string& name() const override { return name_; }
  const core::SignalIdentity& identity() const override { return identity_; }

  Result<Reading> Read(const Question& question) override {
    const Time now = question.now;
    const Time wanted = question.known_until == Time{} ? now - kFirstHistory : question.known_until;
    const Time begin = std::clamp(wanted, now - kLongestRange, now - kLateValues);
    platform::HttpRequest request;
    request.url = options_.base_url + "/co2eq?country=" + UrlEscape(options_.country) +
                  "&start=" + Quarter(begin) + "&end=" + Quarter(now + kAhead);
    request.headers = {"Accept: application/json"};
    const std::string where = ShownUrl(request.url);
    EBB_ASSIGN_OR_RETURN(
        const std::string body,
        GetBody(http_get_, request, "the service needs no key: check the address"));
    EBB_ASSIGN_OR_RETURN(const Payload payload, ParseEnergyChartsIntensity(body, where));
    Reading reading;
    EBB_RETURN_IF_ERROR(AddPayload(payload, now, where, reading));
    if (reading.known.empty())
      return Fail({ExitCode::kUnavailable, "Energy-Charts has no values of " + options_.zone, where,
                   "choose another source with --signal"});
    reading.issued = now;
    return reading;
  }

 private:
  static std::string Quarter(Time time) {
    return FormatTime(
        std::chrono::floor<std::chrono::duration<std::int64_t, std::ratio<900>>>(time));
  }

  const std::string name_ = "energy-charts";
  const EnergyChartsIntensityOptions options_;
  const HttpGetFunction http_get_;
  const core::SignalIdentity identity_;
};

}  // namespace

std::optional<std::string> EnergyChartsCountry(std::string_view zone) {
  for (const NamedCountry& named : kOtherNames)
    if (named.zone == zone) return std::string(named.country);
  if (std::ranges::find(kCountries, zone) == kCountries.end()) return std::nullopt;
  return Lowercase(zone);
}

Result<Payload> ParseEnergyChartsIntensity(std::string_view body, const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  EBB_ASSIGN_OR_RETURN(const std::vector<Time> times, EnergyChartsTimes(root, body, where));
  const JsonNode* measured = EnergyChartsList(root, "co2eq", times.size());
  const JsonNode* expected = EnergyChartsList(root, "co2eq_forecast", times.size());
  const bool other_length =
      !expected && root.Find("co2eq_forecast") && !root.Find("co2eq_forecast")->is_null();
  if (!measured || other_length)
    return Fail(BadAnswer("the answer has no list of as many values as times", body, where));
  std::vector<Point> points;
  for (std::size_t i = 0; i < times.size(); ++i) {
    Point point;
    point.begin = times[i];
    EBB_ASSIGN_OR_RETURN(point.value, ValueAt(measured, i, body, where));
    if (!point.value) {
      point.status = core::SampleStatus::kForecast;
      EBB_ASSIGN_OR_RETURN(point.value, ValueAt(expected, i, body, where));
    }
    points.push_back(point);
  }
  Payload payload;
  payload.kind = core::SignalKind::kAverage;
  EBB_ASSIGN_OR_RETURN(payload.samples, SamplesFrom(std::move(points), std::nullopt, where));
  return payload;
}

std::unique_ptr<Provider> MakeEnergyChartsIntensity(EnergyChartsIntensityOptions options,
                                                    HttpGetFunction http_get) {
  return std::make_unique<EnergyChartsIntensity>(std::move(options), std::move(http_get));
}

}  // namespace ebb::signals
