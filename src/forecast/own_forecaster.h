#pragma once
// Ebb's own forecast: from a zone's own past, and from other data about the zone while that has the
// better record (better_on_record.h). Pure.

#include <memory>

#include "core/signal/publication.h"
#include "forecast/drivers.h"
#include "forecast/forecaster.h"
#include "forecast/typical_year.h"
#include "forecast/weather.h"

namespace ebb::forecast {

/// Data beside the zone's past. Any member may be null.
struct BesidePast {
  std::shared_ptr<const WeatherArchive> weather{};
  std::shared_ptr<const DriverInputs> drivers{};  ///< drivers with the publication of the history
  std::shared_ptr<const TypicalYear> typical{};   ///< typical days of earlier years, needed in the
                                                  ///< first weeks
};

/// Forecasts from the past alone: from typical days, and from the regression once the past is long
/// enough for it and while it has the better record. Values are known as they begin.
std::unique_ptr<Forecaster> MakePlainForecaster(std::shared_ptr<const TypicalYear> typical);
/// Forecasts from the past and, if there are any, the drivers. Keeps to `publication`.
std::unique_ptr<Forecaster> MakePastForecaster(const BesidePast& beside,
                                               const core::Publication& publication);
/// The best forecast from all available data.
std::unique_ptr<Forecaster> MakeOwnForecaster(const BesidePast& beside,
                                              const core::Publication& publication);

}  // namespace ebb::forecast
