#pragma once
// The forecast from a zone's own history: RidgeModel hour by hour, the history's own shape inside
// the hour, and the seasonal naive forecast while the history is short or has a hole. Pure.

#include "forecast/ridge_model.h"
#include "forecast/seasonal_naive.h"

namespace ebb::forecast {

inline constexpr const char* kRidgeMethod = "regression on the zone's own past";

class RidgeForecaster : public Forecaster {
 public:
  std::string_view name() const override { return kRidge; }
  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override;

 private:
  RidgeModel model_;
  SeasonalNaive fallback_;
};

}  // namespace ebb::forecast
