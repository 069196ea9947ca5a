#include "signals/providers/electricity_maps.h"

#include <algorithm>

#include "signals/http/payload_points.h"
#include "signals/http/web_request.h"

namespace ebb::signals {
namespace {

// Longest spans that one question may cover, by the documentation: the last 24 hours for history,
// ten days of hours for past-range.
constexpr Duration kHistorySpan{std::chrono::hours{24}};
constexpr Duration kPastRangeSpan{std::chrono::days{10}};
constexpr Duration kLatestSpan{std::chrono::minutes{90}};

Result<Point> ReadRow(const JsonNode& row, bool forecast, const std::string& where) {
  Point point;
  EBB_ASSIGN_OR_RETURN(point.begin, TimeMember(row, "datetime", where));
  EBB_ASSIGN_OR_RETURN(point.value, NumberOrNull(row, "carbonIntensity", where));
  if (forecast)
    point.status = core::SampleStatus::kForecast;
  else if (row.IsTrue("isEstimated"))
    point.status = core::SampleStatus::kEstimated;
  return point;
}

// How long a value holds: "hourly", "15_minutes", "5_minutes"; nullopt if the answer does not say.
std::optional<Duration> Granularity(const JsonNode& root) {
  const std::string text = root.TextOf("temporalGranularity");
  if (text == "5_minutes") return std::chrono::minutes{5};
  if (text == "15_minutes") return std::chrono::minutes{15};
  if (text == "hourly") return std::chrono::hours{1};
  return std::nullopt;
}

class ElectricityMaps final : public Provider {
 public:
  ElectricityMaps(ElectricityMapsOptions options, HttpGetFunction http_get)
      : options_(std::move(options)),
        http_get_(std::move(http_get)),
        identity_{options_.zone, core::SignalKind::kAverage, options_.boundary,
                  "Electricity Maps, " + ShownUrl(options_.base_url)} {}

  const std::string& name() const override { return name_; }
  const core::SignalIdentity& identity() const override { return identity_; }

  Result<Reading> Read(const Question& question) override {
    Reading reading;
    if (auto known = ReadKnown(question, reading); !known) return Fail(known.error());
    if (question.wants_forecast) ReadForecast(question, reading);
    return reading;
  }

 private:
  std::string Url(const std::string& endpoint) const {
    const bool direct = options_.boundary == core::Boundary::kDirect;
    // The last parameter is needed: without it, the API answers a question about an unknown zone
    // for the place where the caller seems to be.
    return options_.base_url + "/carbon-intensity/" + endpoint +
           "?zone=" + UrlEscape(options_.zone) +
           "&emissionFactorType=" + (direct ? "direct" : "lifecycle") + "&disableCallerLookup=true";
  }

  Status Ask(const std::string& url, Time now, Reading& reading) {
    platform::HttpRequest request;
    request.url = url;
    request.headers = {"auth-token: " + options_.key};
    EBB_ASSIGN_OR_RETURN(const std::string body, GetBody(http_get_, request, kHint));
    EBB_ASSIGN_OR_RETURN(const Payload payload, ParseElectricityMaps(body, ShownUrl(url)));
    if (!payload.zone.empty() && payload.zone != options_.zone)
      return Fail({ExitCode::kUnavailable,
                   "asked for zone " + options_.zone + ", answered for " + payload.zone,
                   ShownUrl(url), "check the zone's name"});
    return AddPayload(payload, now, ShownUrl(url), reading);
  }

  // Asks the cheapest question that closes the gap. The long one is for paying customers: if it is
  // refused, the last day still serves.
  Status ReadKnown(const Question& question, Reading& reading) {
    const Duration missing = question.now - question.known_until;
    if (missing <= kLatestSpan) return Ask(Url("latest"), question.now, reading);
    if (missing > kHistorySpan && has_past_range_) {
      const Time begin = std::max(question.known_until, question.now - kPastRangeSpan);
      Reading past;
      const auto asked = Ask(
          Url("past-range") + "&start=" + FormatTime(begin) + "&end=" + FormatTime(question.now),
          question.now, past);
      if (asked) reading = std::move(past);
      EBB_RETURN_IF_ERROR(Ask(Url("history"), question.now, reading));
      has_past_range_ = asked.has_value();  // history came, so the refusal was not the network's
      return {};
    }
    return Ask(Url("history"), question.now, reading);
  }

  void ReadForecast(const Question& question, Reading& reading) {
    const auto hours = Hours(question.horizon);
    const char* horizon = hours <= 24 ? "24" : hours <= 48 ? "48" : "72";
    Reading ahead;
    const auto asked = Ask(Url("forecast") + "&horizonHours=" + horizon, question.now, ahead);
    if (!asked) {
      reading.forecast_failure = asked.error();
      return;
    }
    reading.forecast = std::move(ahead.forecast);
    reading.issued = ahead.issued;
  }

  static constexpr const char* kHint =
      "check the key and what its plan includes (zone, history, forecast)";
  const std::string name_ = "electricity-maps";
  const ElectricityMapsOptions options_;
  const HttpGetFunction http_get_;
  const core::SignalIdentity identity_;
  bool has_past_range_ = true;
};

}  // namespace

Result<Payload> ParseElectricityMaps(std::string_view body, const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  const JsonNode* forecast = root.Find("forecast");
  const JsonNode* list = forecast;
  for (const char* name : {"history", "data"})
    if (!list) list = root.Find(name);
  if (list ? !list->is_list() : !root.Find("carbonIntensity"))
    return Fail(BadAnswer("the answer holds no carbon intensity", body, where));
  std::vector<Point> points;
  const auto add = [&](const JsonNode& row) -> Status {
    EBB_ASSIGN_OR_RETURN(const Point point, ReadRow(row, forecast != nullptr, where));
    points.push_back(point);
    return {};
  };
  if (!list) EBB_RETURN_IF_ERROR(add(root));
  for (const JsonNode& row : list ? list->items : std::vector<JsonNode>{})
    EBB_RETURN_IF_ERROR(add(row));
  Payload payload;
  payload.zone = root.TextOf("zone");
  payload.kind = core::SignalKind::kAverage;
  const JsonNode& labelled = list && !list->items.empty() ? list->items.front() : root;
  if (const auto boundary = core::BoundaryFromName(labelled.TextOf("emissionFactorType")))
    payload.boundary = *boundary;
  if (forecast) payload.issued = root.TimeOf("updatedAt");
  EBB_ASSIGN_OR_RETURN(payload.samples, SamplesFrom(std::move(points), Granularity(root), where));
  return payload;
}

std::unique_ptr<Provider> MakeElectricityMaps(ElectricityMapsOptions options,
                                              HttpGetFunction http_get) {
  return std::make_unique<ElectricityMaps>(std::move(options), std::move(http_get));
}

}  // namespace ebb::signals
