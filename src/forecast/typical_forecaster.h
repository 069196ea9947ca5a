#pragma once
// A forecast from the first hour on: typical days of the zone from earlier years, corrected by the
// hours seen so far. The zone's departure from its typical days is modelled as a Gaussian process
// (a lasting difference, weather that changes within days, another shape of the day, the last
// hours). So a few hours correct little and a week corrects a lot, and corrections fade with the
// lead. Method, constants and figures: docs/forecast.md. Pure.

#include <memory>

#include "forecast/forecaster.h"
#include "forecast/hourly_grid.h"
#include "forecast/ridge_model.h"
#include "forecast/seasonal_naive.h"
#include "forecast/typical_year.h"

namespace ebb::forecast {

inline constexpr const char* kTypicalMethod = "typical days, corrected by the hours seen";

class TypicalForecaster : public Forecaster {
 public:
  /// `typical` must not be null. Typical days are averages, so a marginal signal gets the seasonal
  /// naive forecast.
  explicit TypicalForecaster(std::shared_ptr<const TypicalYear> typical)
      : typical_(std::move(typical)) {}

  std::string_view name() const override { return "typical-days"; }
  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override;

 private:
  HourlyPath Expect(std::size_t hours, core::Boundary boundary) const;

  std::shared_ptr<const TypicalYear> typical_;
  HourlyGrid grid_;
  SeasonalNaive fallback_;
};

/// The forecaster for a past that is too short for a regression: from `typical`, or the seasonal
/// naive one if `typical` is null.
std::unique_ptr<Forecaster> MakeEarlyForecaster(std::shared_ptr<const TypicalYear> typical);

}  // namespace ebb::forecast
