#include "signals/providers/carbon_aware_sdk.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "signals/http/payload_points.h"
#include "signals/http/web_request.h"

namespace ebb::signals {
namespace {

constexpr Duration kRecent{std::chrono::hours{3}};
// How far back a question may reach, the longest first.
constexpr std::array<Duration, 4> kSpans{kFirstHistory, std::chrono::hours{10 * 24},
                                         std::chrono::hours{24}, kRecent};
constexpr int kNoContent = 204;  // no values, which is not a failure

// Reads .NET's TimeSpan: "hh:mm:ss" or "d.hh:mm:ss", fractions of a second ignored.
std::optional<Duration> TimeSpan(std::string_view text) {
  const auto parts = Split(text, ':');
  if (parts.size() != 3) return std::nullopt;
  const auto dot = parts[0].find('.');
  const bool has_days = dot != std::string_view::npos;
  const auto days = has_days ? ParseInteger(parts[0].substr(0, dot)) : 0;
  const auto hours = ParseInteger(has_days ? parts[0].substr(dot + 1) : parts[0]);
  const auto minutes = ParseInteger(parts[1]);
  const auto seconds = ParseInteger(parts[2].substr(0, parts[2].find('.')));
  const auto within = [](const auto& value, long long high) {
    return value && *value >= 0 && *value <= high;
  };
  if (!within(days, 366) || !within(hours, 23) || !within(minutes, 59) || !within(seconds, 59))
    return std::nullopt;
  return std::chrono::days{*days} + std::chrono::hours{*hours} + std::chrono::minutes{*minutes} +
         std::chrono::seconds{*seconds};
}

Result<Point> ReadEmission(const JsonNode& row, const std::string& where) {
  Point point;
  EBB_ASSIGN_OR_RETURN(point.begin, TimeMember(row, "time", where));
  EBB_ASSIGN_OR_RETURN(point.value, NumberOrNull(row, "rating", where));
  const auto duration = TimeSpan(row.TextOf("duration"));
  if (duration && *duration > Duration::zero()) point.end = point.begin + *duration;
  // Only Ebb as a server states the status of a value.
  if (const auto status = core::SampleStatusFromName(row.TextOf("status"))) point.status = *status;
  return point;
}

Result<Point> ReadForecastRow(const JsonNode& row, const std::string& where) {
  Point point;
  EBB_ASSIGN_OR_RETURN(point.begin, TimeMember(row, "timestamp", where));
  EBB_ASSIGN_OR_RETURN(point.value, NumberOrNull(row, "value", where));
  point.status = core::SampleStatus::kForecast;
  const JsonNode* minutes = row.Find("duration");
  const auto length = minutes ? minutes->AsNumber() : std::nullopt;
  if (length && *length > 0 && *length <= 1440)
    point.end = point.begin + DurationFromSeconds(*length * 60);
  return point;
}

class CarbonAwareSdk final : public Provider {
 public:
  CarbonAwareSdk(CarbonAwareSdkOptions options, HttpGetFunction http_get)
      : options_(std::move(options)),
        http_get_(std::move(http_get)),
        identity_{options_.location, options_.kind, core::Boundary::kUnknown,
                  "Carbon Aware SDK, " + ShownUrl(options_.base_url)} {}

  const std::string& name() const override { return name_; }
  std::string cache_key() const override { return name_ + "-" + ShortDigest(options_.base_url); }
  const core::SignalIdentity& identity() const override { return identity_; }

  Result<Reading> Read(const Question& question) override {
    Reading reading;
    EBB_RETURN_IF_ERROR(ReadKnown(question, reading));
    if (!question.wants_forecast) return reading;
    if (const auto ahead = ReadForecast(question, reading); !ahead)
      reading.forecast_failure = ahead.error();
    return reading;
  }

 private:
  Result<platform::HttpResponse> Get(const std::string& url) {
    platform::HttpRequest request;
    request.url = url;
    if (!options_.key.empty()) request.headers = {"Authorization: Bearer " + options_.key};
    return http_get_(request);
  }

  Error Refused(const std::string& url, int status) const {
    return RefusedBy(url, status, "check the key of the server");
  }

  Error OtherKind(const std::string& url) const {
    const bool average = options_.kind == core::SignalKind::kAverage;
    return {ExitCode::kConfiguration,
            std::string("the server's values are ") + (average ? "marginal" : "average"),
            ShownUrl(url), std::string("give --signal-kind ") + (average ? "marginal" : "average")};
  }

  // The server does not say how long a span it accepts; that depends on the source behind it
  // (Electricity Maps: 10 days, a day with a small plan). So shorter spans are tried until one is
  // accepted, and used from then on.
  Status ReadKnown(const Question& question, Reading& reading) {
    for (auto span = span_;; ++span) {
      const Time begin =
          std::clamp(question.known_until, question.now - *span, question.now - kRecent);
      const std::string url = options_.base_url +
                              "/emissions/bylocation?location=" + UrlEscape(options_.location) +
                              "&time=" + FormatTime(begin) + "&toTime=" + FormatTime(question.now);
      EBB_ASSIGN_OR_RETURN(const platform::HttpResponse response, Get(url));
      if (response.status == kNoContent) return {};
      if (response.status == 200) {
        span_ = span;
        EBB_ASSIGN_OR_RETURN(const Payload payload,
                             ParseCarbonAwareSdkEmissions(response.body, ShownUrl(url)));
        if (payload.kind.value_or(options_.kind) != options_.kind) return Fail(OtherKind(url));
        return AddPayload(payload, question.now, ShownUrl(url), reading);
      }
      const bool may_be_the_span = response.status == 400 || response.status == 500;
      const bool is_shortest = question.now - begin <= kRecent;
      if (!may_be_the_span || is_shortest) return Fail(Refused(url, response.status));
    }
  }

  Status ReadForecast(const Question& question, Reading& reading) {
    const std::string url =
        options_.base_url + "/emissions/forecasts/current?location=" + UrlEscape(options_.location);
    EBB_ASSIGN_OR_RETURN(const platform::HttpResponse response, Get(url));
    if (response.status == kNoContent) return {};
    if (response.status != 200) return Fail(Refused(url, response.status));
    EBB_ASSIGN_OR_RETURN(const Payload payload,
                         ParseCarbonAwareSdkForecast(response.body, ShownUrl(url)));
    return AddPayload(payload, question.now, ShownUrl(url), reading);
  }

  const std::string name_ = "carbon-aware-sdk";
  const CarbonAwareSdkOptions options_;
  const HttpGetFunction http_get_;
  const core::SignalIdentity identity_;
  decltype(kSpans)::const_iterator span_ = kSpans.begin();
};

}  // namespace

Result<Payload> ParseCarbonAwareSdkEmissions(std::string_view body, const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  if (!root.is_list()) return Fail(BadAnswer("the answer is not a list of emissions", body, where));
  Payload payload;
  std::vector<Point> points;
  for (const JsonNode& row : root.items) {
    EBB_ASSIGN_OR_RETURN(const Point point, ReadEmission(row, where));
    points.push_back(point);
    payload.zone = row.TextOf("location");
    // Only Ebb as a server sends these.
    if (const auto kind = core::SignalKindFromName(row.TextOf("kind"))) payload.kind = kind;
    payload.boundary = core::BoundaryFromName(row.TextOf("boundary")).value_or(payload.boundary);
  }
  EBB_ASSIGN_OR_RETURN(payload.samples, SamplesFrom(std::move(points), std::nullopt, where));
  return payload;
}

Result<Payload> ParseCarbonAwareSdkForecast(std::string_view body, const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  const JsonNode* rows = root.At("/0/forecastData");
  if (!rows || !rows->is_list())
    return Fail(BadAnswer("the answer holds no forecastData", body, where));
  Payload payload;
  payload.zone = root.items.front().TextOf("location");
  payload.issued = root.items.front().TimeOf("generatedAt");
  std::vector<Point> points;
  for (const JsonNode& row : rows->items) {
    EBB_ASSIGN_OR_RETURN(const Point point, ReadForecastRow(row, where));
    points.push_back(point);
  }
  EBB_ASSIGN_OR_RETURN(payload.samples, SamplesFrom(std::move(points), std::nullopt, where));
  return payload;
}

std::unique_ptr<Provider> MakeCarbonAwareSdk(CarbonAwareSdkOptions options,
                                             HttpGetFunction http_get) {
  return std::make_unique<CarbonAwareSdk>(std::move(options), std::move(http_get));
}

}  // namespace ebb::signals
