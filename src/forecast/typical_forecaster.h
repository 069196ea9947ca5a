#pragma once
// A forecast from the first hour on: typical days of the zone from earlier years, corrected by the
// hours that were seen. How far a zone is off its typical days is taken for a Gaussian process (a
// lasting difference, weather that comes and goes within days, another shape of the day, the last
// hours), so a few hours correct little and a week corrects a lot, and corrections fade with the
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
  /// Not null. Typical days are averages: of a marginal signal it is the seasonal naive forecast.
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

/// What is expected while the own past is too short for a regression: from `typical`, or if that
/// is null the seasonal naive forecast.
std::unique_ptr<Forecaster> MakeEarlyForecaster(std::shared_ptr<const TypicalYear> typical);

}  // namespace ebb::forecast
