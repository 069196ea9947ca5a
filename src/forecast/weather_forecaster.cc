#include "forecast/weather_forecaster.h"

#include "base/text.h"
#include "forecast/path_forecast.h"
#include "forecast/ridge_forecaster.h"
#include "forecast/rows.h"

namespace ebb::forecast {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};

// Names the method: "regression on the zone's own past and the weather (run of 2021-03-01T00:00Z,
// 31 h old)". `begin` is the begin of the path.
std::string MethodOf(const WeatherPath& path, Time begin, Interval asked, Time now) {
  std::size_t hours = 0, covered = 0;
  for (std::size_t lead = 0; lead < path.coverage.size(); ++lead) {
    const Time hour = begin + static_cast<Duration::rep>(lead) * kHour;
    if (hour + kHour <= asked.begin || hour >= asked.end) continue;
    ++hours;
    if (path.coverage[lead] == Coverage::kRun) ++covered;
  }
  if (covered == 0) return std::string(kRidgeMethod) + ": no weather is known";
  std::string method = std::string(kRidgeMethod) + " and the weather (run of " +
                       FormatTime(path.run->issued) + ", " +
                       FormatFixed(Hours(now - path.run->issued), 0) + " h old";
  if (covered < hours)
    method += ", for " + std::to_string(covered) + " of " + std::to_string(hours) + " hours";
  return method + ")";
}

}  // namespace

WeatherForecaster::Expected WeatherForecaster::ExpectAt(const core::IntensitySeries& history,
                                                        Time now) {
  Expected expected{KnownBy(history, now, publication_), 0, std::nullopt};
  if (expected.known.empty()) return expected;
  model_.Learn(expected.known);
  expected.hours = model_.grid().HoursIn(expected.known);
  if (expected.hours > 0) expected.path = model_.Expect(expected.hours - 1, now + known_after_);
  return expected;
}

Result<core::Forecast> WeatherForecaster::At(const core::IntensitySeries& history, Time now,
                                             Duration horizon) {
  const auto [known, hours, path] = ExpectAt(history, now);
  if (known.empty()) return core::Forecast{};
  const Time as_of = AsOf(known, now, publication_);
  if (!path) return fallback_->At(history, as_of, now + horizon - as_of);
  core::Forecast forecast =
      ForecastOf(path->path, model_.grid(), known, history.identity(), {as_of, now + horizon});
  forecast.method =
      MethodOf(*path, model_.grid().BeginOf(hours), {now, now + horizon}, now + known_after_);
  return forecast;
}

std::vector<HourOfWeather> WeatherForecaster::Explain(const core::IntensitySeries& history,
                                                      Time now, Duration horizon) {
  const Expected expected = ExpectAt(history, now);
  std::vector<HourOfWeather> hours;
  if (!expected.path) return hours;
  const WeatherPath& path = *expected.path;
  for (std::size_t lead = 0; lead < path.effects.size(); ++lead) {
    const Time begin = model_.grid().BeginOf(expected.hours + lead);
    if (begin + kHour <= now || begin >= now + horizon) continue;
    hours.push_back(
        {{begin, begin + kHour}, path.coverage[lead], path.effects[lead], path.departures[lead]});
  }
  return hours;
}

}  // namespace ebb::forecast
