#include "forecast/ridge_forecaster.h"

#include "forecast/path_forecast.h"
#include "forecast/rows.h"

namespace ebb::forecast {

Result<core::Forecast> RidgeForecaster::At(const core::IntensitySeries& history, Time now,
                                           Duration horizon) {
  const auto known = KnownBy(history, now);
  model_.Learn(known);
  const std::size_t hours = model_.grid().HoursIn(known);
  const auto path = hours > 0 ? model_.Expect(hours - 1) : std::nullopt;
  if (!path) return fallback_->At(history, now, horizon);
  core::Forecast forecast =
      ForecastOf(*path, model_.grid(), known, history.identity(), {now, now + horizon});
  forecast.method = method_;
  return forecast;
}

}  // namespace ebb::forecast
