#include "web/api/carbon_aware.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kWholeCoverage = 0.999;

double Minutes(Duration duration) { return Seconds(duration) / 60; }

Json PointsJson(const std::vector<CarbonAwarePoint>& points, const std::string& location) {
  Json json = Json::array();
  for (const CarbonAwarePoint& point : points)
    json.push_back({{"location", location},
                    {"timestamp", FormatTime(point.time.begin)},
                    {"duration", Minutes(point.time.length())},
                    {"value", point.value.g_per_kwh}});
  return json;
}

std::vector<CarbonAwarePoint> PointsOf(const core::IntensitySeries& series) {
  std::vector<CarbonAwarePoint> points;
  for (const core::Sample& sample : series.samples())
    points.push_back({sample.interval, sample.intensity});
  return points;
}

// Means over windows whose values are all known. Successive windows begin one point's length apart.
std::vector<CarbonAwarePoint> WindowsOf(const core::IntensitySeries& series, Duration window) {
  std::vector<CarbonAwarePoint> points;
  if (series.empty()) return points;
  const Duration tick = series.samples().front().interval.length();
  for (Time begin = series.span().begin; begin + window <= series.span().end; begin += tick) {
    const Interval time{begin, begin + window};
    const auto mean = series.Mean(time);
    if (mean && mean->coverage > kWholeCoverage) points.push_back({time, mean->intensity});
  }
  return points;
}

std::vector<CarbonAwarePoint> LowestOf(const std::vector<CarbonAwarePoint>& points) {
  std::vector<CarbonAwarePoint> lowest;
  for (const CarbonAwarePoint& point : points) {
    if (!lowest.empty() && point.value < lowest.front().value) lowest.clear();
    if (lowest.empty() || point.value == lowest.front().value) lowest.push_back(point);
  }
  return lowest;
}

// The duration in the format of .NET's TimeSpan.
std::string TimeSpan(Duration duration) {
  const long long seconds = std::chrono::floor<std::chrono::seconds>(duration).count();
  const long long days = seconds / 86'400;
  char text[64];
  std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld", seconds / 3600 % 24, seconds / 60 % 60,
                seconds % 60);
  return (days > 0 ? std::to_string(days) + "." : "") + text;
}

}  // namespace

Result<const core::SignalView*> SignalOfLocation(const service::View& view,
                                                 const std::string& location) {
  if (location.empty())
    return Fail({ExitCode::kUsage, "is required", "location", "the name of a zone"});
  std::vector<std::string> zones;
  for (const service::SiteSignalView& signal : view.signals) {
    if (!signal.view) continue;
    const std::string& zone = signal.view->known.identity().zone;
    if (zone.empty() || Lowercase(zone) == Lowercase(location)) return signal.view.get();
    zones.push_back(zone);
  }
  if (zones.empty())
    return Fail({ExitCode::kTryLater, "no signal has come yet", "", "ask again in a moment"});
  return Fail({ExitCode::kUsage, "\"" + location + "\" is not known", "location",
               "this service knows " + Join(zones, ", ")});
}

std::string ToJson(const CarbonAwareForecast& forecast, int indent) {
  const Json json{{"generatedAt", FormatTime(forecast.generated)},
                  {"requestedAt", FormatTime(forecast.requested)},
                  {"location", forecast.location},
                  {"dataStartAt", FormatTime(forecast.data.begin)},
                  {"dataEndAt", FormatTime(forecast.data.end)},
                  {"windowSize", Minutes(forecast.window)},
                  {"optimalDataPoints", PointsJson(forecast.optimal, forecast.location)},
                  {"forecastData", PointsJson(forecast.forecast, forecast.location)}};
  return Json::array({json}).dump(indent, ' ', false, Json::error_handler_t::replace);
}

CarbonAwareForecast CarbonAwareForecastOf(const core::SignalView& view,
                                          const CarbonAwareQuestion& question) {
  const Interval whole = view.forecast.series.span();
  CarbonAwareForecast answer;
  answer.location = question.location;
  answer.generated = view.forecast.issued;
  answer.requested = view.now;
  answer.data = {std::max(question.begin.value_or(whole.begin), whole.begin),
                 std::min(question.end.value_or(whole.end), whole.end)};
  const core::IntensitySeries ahead = view.forecast.series.Slice(answer.data);
  if (question.window > Duration::zero()) {
    answer.window = question.window;
    answer.forecast = WindowsOf(ahead, question.window);
  } else {
    answer.forecast = PointsOf(ahead);
    if (!ahead.empty()) answer.window = ahead.samples().front().interval.length();
  }
  answer.optimal = LowestOf(answer.forecast);
  return answer;
}

std::string CarbonAwareEmissionsJson(const core::IntensitySeries& known, Interval window,
                                     const std::string& location) {
  Json json = Json::array();
  for (const core::Sample& sample : known.samples()) {
    if (Overlap(sample.interval, window).length() == Duration::zero() ||
        sample.status == core::SampleStatus::kForecast)
      continue;
    json.push_back({{"location", location},
                    {"time", FormatTime(sample.interval.begin)},
                    {"rating", sample.intensity.g_per_kwh},
                    {"duration", TimeSpan(sample.interval.length())},
                    {"status", core::Name(sample.status)},
                    {"kind", core::Name(known.identity().kind)},
                    {"boundary", core::Name(known.identity().boundary)}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ebb::web
