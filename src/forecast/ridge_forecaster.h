#pragma once
// Forecasts from a zone's own history: RidgeModel hour by hour, with the history's own shape inside
// the hour. While the history is short or has a hole, it uses typical days of earlier years if any
// are known (typical_forecaster.h), and otherwise the seasonal naive forecast. Pure.

#include <string>

#include "forecast/ridge_model.h"
#include "forecast/typical_forecaster.h"

namespace ebb::forecast {

inline constexpr const char* kRidgeMethod = "regression on the zone's own past";

class RidgeForecaster : public Forecaster {
 public:
  /// nullptr: no typical days are known.
  explicit RidgeForecaster(std::shared_ptr<const TypicalYear> typical = nullptr)
      : fallback_(MakeEarlyForecaster(std::move(typical))) {}
  /// Also uses `drivers`, which must not be null. It keeps to the publication of `drivers` only for
  /// the drivers themselves; AsPublished does so for the history.
  explicit RidgeForecaster(std::shared_ptr<const DriverInputs> drivers,
                           std::shared_ptr<const TypicalYear> typical = nullptr)
      : name_("with " + drivers->name()),
        method_(std::string(kRidgeMethod) + " and " + drivers->name()),
        model_(std::move(drivers)),
        fallback_(MakeEarlyForecaster(std::move(typical))) {}

  std::string_view name() const override { return name_; }
  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override;

 private:
  std::string name_{kRidge}, method_{kRidgeMethod};
  RidgeModel model_;
  std::unique_ptr<Forecaster> fallback_;
};

}  // namespace ebb::forecast
