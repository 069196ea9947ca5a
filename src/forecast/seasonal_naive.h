#pragma once
// The two plain forecasts. Persistence repeats the latest day and is the yardstick. The seasonal
// naive forecast is 0.7 times the same hour of yesterday plus 0.3 times that hour of last week (of
// the latest days that are known), plus the current deviation from that mean, which fades with a
// time constant of 12 hours. Weights and constant were chosen on the 2021-2024 life-cycle series of
// four zones. If no earlier day is known, the latest value goes on. Pure.

#include "forecast/forecaster.h"

namespace ebb::forecast {

inline constexpr const char* kSeasonalNaiveMethod = "yesterday and last week";
inline constexpr const char* kPersistenceMethod = "yesterday";
inline constexpr const char* kConstantMethod = "the latest value";

class Persistence : public Forecaster {
 public:
  std::string_view name() const override { return kPersistence; }
  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override;
};

class SeasonalNaive : public Forecaster {
 public:
  std::string_view name() const override { return kSeasonalNaive; }
  Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                            Duration horizon) override;
};

}  // namespace ebb::forecast
