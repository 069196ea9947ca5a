#include "forecast/own_forecaster.h"

#include "forecast/better_on_record.h"
#include "forecast/ridge_forecaster.h"
#include "forecast/weather_forecaster.h"

namespace ebb::forecast {

std::unique_ptr<Forecaster> MakePlainForecaster(std::shared_ptr<const TypicalYear> typical) {
  if (!typical) return MakeBestForecaster();
  return std::make_unique<BetterOnRecord>(std::make_unique<RidgeForecaster>(typical),
                                          MakeEarlyForecaster(typical));
}

std::unique_ptr<Forecaster> MakePastForecaster(const BesidePast& beside,
                                               const core::Publication& publication) {
  auto past = AsPublished(MakePlainForecaster(beside.typical), publication);
  if (!beside.drivers) return past;
  auto driven =
      AsPublished(std::make_unique<RidgeForecaster>(beside.drivers, beside.typical), publication);
  return std::make_unique<BetterOnRecord>(std::move(driven), std::move(past), publication);
}

std::unique_ptr<Forecaster> MakeOwnForecaster(const BesidePast& beside,
                                              const core::Publication& publication) {
  auto past = MakePastForecaster(beside, publication);
  if (!beside.weather) return past;
  auto weather = std::make_unique<WeatherForecaster>(beside.weather, publication, beside.drivers,
                                                     beside.typical);
  return std::make_unique<BetterOnRecord>(std::move(weather), std::move(past), publication);
}

}  // namespace ebb::forecast
