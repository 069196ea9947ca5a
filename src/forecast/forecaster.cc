#include "forecast/forecaster.h"

#include <string>

#include "forecast/ridge_forecaster.h"
#include "forecast/seasonal_naive.h"

namespace ebb::forecast {

std::vector<std::string_view> ForecasterNames() { return {kPersistence, kSeasonalNaive, kRidge}; }

Result<std::unique_ptr<Forecaster>> MakeForecaster(std::string_view name) {
  if (name == kPersistence) return std::make_unique<Persistence>();
  if (name == kSeasonalNaive) return std::make_unique<SeasonalNaive>();
  if (name == kRidge) return std::make_unique<RidgeForecaster>();
  return Fail({ExitCode::kUsage, "there is no forecast named \"" + std::string(name) + "\"", "",
               "choose persistence, seasonal-naive or ridge"});
}

std::unique_ptr<Forecaster> MakeBestForecaster() { return std::make_unique<RidgeForecaster>(); }

}  // namespace ebb::forecast
