#include "forecast/weather_forecaster.h"

#include "base/text.h"
#include "forecast/path_forecast.h"
#include "forecast/ridge_forecaster.h"
#include "forecast/rows.h"

namespace ebb::forecast {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};

// "regression on the zone's own past and the weather (run of 2021-03-01T00:00Z, 31 h old)".
// `begin` is that of the path.
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

Result<core::Forecast> WeatherForecaster::At(const core::IntensitySeries& history, Time now,
                                             Duration horizon) {
  const auto known = KnownBy(history, now, publication_);
  if (known.empty()) return core::Forecast{};
  const Time as_of = AsOf(known, now, publication_);
  model_.Learn(known);
  const std::size_t hours = model_.grid().HoursIn(known);
  const auto path = hours > 0 ? model_.Expect(hours - 1, now + known_after_) : std::nullopt;
  if (!path) return fallback_.At(history, as_of, now + horizon - as_of);
  core::Forecast forecast =
      ForecastOf(path->path, model_.grid(), known, history.identity(), {as_of, now + horizon});
  forecast.method =
      MethodOf(*path, model_.grid().BeginOf(hours), {now, now + horizon}, now + known_after_);
  return forecast;
}

}  // namespace ebb::forecast
