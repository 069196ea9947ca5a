#include "signals/providers/watttime.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "signals/http/payload_points.h"
#include "signals/http/web_request.h"

namespace ebb::signals {
namespace {

// A token lasts 30 minutes; Ebb fetches a fresh one a little earlier.
constexpr Duration kTokenLife{std::chrono::minutes{25}};
// Historical values come late; until then the forecast's first point stands in.
constexpr Duration kHistoricalEvery{std::chrono::hours{1}};
constexpr double kLongestHorizonHours = 72;
constexpr const char* kPoundsPerMwh = "lbs_co2_per_mwh";

Status CheckUnits(const std::string& units, const std::string& where) {
  if (units == kPoundsPerMwh) return {};
  const bool index = units == "percentile";
  return Fail({ExitCode::kUnavailable,
               index ? "a percentile is not a carbon intensity"
                     : "the unit \"" + units + "\" is not understood",
               where,
               index ? "the signal index cannot be used; forecast and historical need a plan that "
                       "includes the region (free accounts: CAISO_NORTH)"
                     : "Ebb reads lbs_co2_per_mwh"});
}

core::SignalKind KindOf(const std::string& signal_type) {
  return signal_type == "co2_aoer" ? core::SignalKind::kAverage : core::SignalKind::kMarginal;
}

Result<Point> ReadRow(const JsonNode& row, bool forecast, const std::string& where) {
  Point point;
  EBB_ASSIGN_OR_RETURN(point.begin, TimeMember(row, "point_time", where));
  EBB_ASSIGN_OR_RETURN(point.value, NumberOrNull(row, "value", where));
  if (point.value) *point.value *= kGramsPerKwhOfPoundsPerMwh;
  if (forecast)
    point.status = core::SampleStatus::kForecast;
  else if (row.IsTrue("imputed_data_used"))
    point.status = core::SampleStatus::kEstimated;
  return point;
}

class WattTime final : public Provider {
 public:
  WattTime(WattTimeOptions options, HttpGetFunction http_get)
      : options_(std::move(options)),
        http_get_(std::move(http_get)),
        identity_{options_.region, KindOf(options_.signal_type), core::Boundary::kDirect,
                  "WattTime " + options_.signal_type + ", " + ShownUrl(options_.base_url)} {}

  const std::string& name() const override { return name_; }
  const core::SignalIdentity& identity() const override { return identity_; }

  // The forecast's first point is the nowcast, so that one question serves now and later.
  Result<Reading> Read(const Question& question) override {
    Reading reading;
    std::optional<Error> no_past;
    if (question.now >= historical_at_) {
      if (const auto past = AskPast(question, reading); !past) no_past = past.error();
      historical_at_ = question.now + kHistoricalEvery;
    }
    const auto ahead = AskAhead(question, reading);
    if (!ahead && (no_past || reading.known.empty())) return Fail(ahead.error());
    if (!ahead) reading.forecast_failure = ahead.error();
    // Nobody meters a marginal rate: values of the past are estimates by the same regression.
    if (identity_.kind == core::SignalKind::kMarginal)
      for (core::Sample& sample : reading.known) sample.status = core::SampleStatus::kModelled;
    return reading;
  }

 private:
  Status AskPast(const Question& question, Reading& reading) {
    const Time begin =
        std::max(question.known_until - 2 * kHistoricalEvery, question.now - kFirstHistory);
    return Ask("historical", "&start=" + FormatTime(begin) + "&end=" + FormatTime(question.now),
               question.now, reading);
  }

  Status AskAhead(const Question& question, Reading& reading) {
    const double hours = std::clamp(std::ceil(Hours(question.horizon)), 1.0, kLongestHorizonHours);
    return Ask("forecast", "&horizon_hours=" + FormatFixed(hours, 0), question.now, reading);
  }

  Status Ask(const std::string& endpoint, const std::string& range, Time now, Reading& reading) {
    const std::string url = options_.base_url + "/v3/" + endpoint +
                            "?region=" + UrlEscape(options_.region) +
                            "&signal_type=" + UrlEscape(options_.signal_type) + range;
    EBB_ASSIGN_OR_RETURN(const std::string body, AskWithToken(url, now));
    EBB_ASSIGN_OR_RETURN(const Payload payload, ParseWattTime(body, ShownUrl(url)));
    return AddPayload(payload, now, ShownUrl(url), reading);
  }

  // A token that was withdrawn early is replaced once.
  Result<std::string> AskWithToken(const std::string& url, Time now) {
    const bool was_fresh = token_.empty() || now >= token_until_;
    if (was_fresh) EBB_RETURN_IF_ERROR(LogIn(now));
    EBB_ASSIGN_OR_RETURN(auto response, http_get_(WithToken(url)));
    if (response.status == 401 && !was_fresh) {
      EBB_RETURN_IF_ERROR(LogIn(now));
      EBB_ASSIGN_OR_RETURN(response, http_get_(WithToken(url)));
    }
    if (response.status != 200) return Fail(RefusedBy(url, response.status, kHint));
    return std::move(response.body);
  }

  platform::HttpRequest WithToken(const std::string& url) const {
    platform::HttpRequest request;
    request.url = url;
    request.headers = {"Authorization: Bearer " + token_};
    return request;
  }

  Status LogIn(Time now) {
    platform::HttpRequest request;
    request.url = options_.base_url + "/login";
    request.headers = {BasicAuthorization(options_.user, options_.password)};
    EBB_ASSIGN_OR_RETURN(const std::string body,
                         GetBody(http_get_, request, "check user and password"));
    EBB_ASSIGN_OR_RETURN(token_, ParseWattTimeLogin(body, ShownUrl(request.url)));
    token_until_ = now + kTokenLife;
    return {};
  }

  static constexpr const char* kHint =
      "the account's plan may not include this region; free accounts have CAISO_NORTH";
  const std::string name_ = "watttime";
  const WattTimeOptions options_;
  const HttpGetFunction http_get_;
  const core::SignalIdentity identity_;
  std::string token_;
  Time token_until_{};
  Time historical_at_{};
};

}  // namespace

Result<std::string> ParseWattTimeLogin(std::string_view body, const std::string& where) {
  const Error none{ExitCode::kUnavailable, "the login answered without a usable token", where,
                   "check user and password"};
  auto root = ParseJson(body, where);
  // Unlike other answers that are not understood, this body is not shown: it may hold a token.
  if (!root) return Fail(none);
  std::string token = root->TextOf("token");
  // The token becomes part of a header line.
  const bool printable = std::all_of(token.begin(), token.end(), [](char character) {
    return character > ' ' && character < 0x7f;
  });
  if (token.empty() || !printable) return Fail(none);
  return token;
}

Result<Payload> ParseWattTime(std::string_view body, const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  const JsonNode* data = root.Find("data");
  const JsonNode* meta = root.Find("meta");
  if (!data || !data->is_list() || !meta || !meta->is_object())
    return Fail(BadAnswer("the answer holds no data with meta", body, where));
  EBB_RETURN_IF_ERROR(CheckUnits(meta->TextOf("units"), where));
  Payload payload;
  payload.zone = meta->TextOf("region");
  payload.kind = KindOf(meta->TextOf("signal_type"));
  payload.boundary = core::Boundary::kDirect;
  payload.issued = meta->TimeOf("generated_at");
  std::vector<Point> points;
  for (const JsonNode& row : data->items) {
    EBB_ASSIGN_OR_RETURN(const Point point, ReadRow(row, payload.issued.has_value(), where));
    points.push_back(point);
  }
  std::optional<Duration> step;
  const JsonNode* period = meta->Find("data_point_period_seconds");
  if (const auto seconds = period ? period->AsNumber() : std::nullopt)
    if (*seconds >= 1 && *seconds <= 86'400) step = DurationFromSeconds(*seconds);
  EBB_ASSIGN_OR_RETURN(payload.samples, SamplesFrom(std::move(points), step, where));
  return payload;
}

std::unique_ptr<Provider> MakeWattTime(WattTimeOptions options, HttpGetFunction http_get) {
  return std::make_unique<WattTime>(std::move(options), std::move(http_get));
}

}  // namespace ebb::signals
