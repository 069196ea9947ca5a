#pragma once
// The forecast that Ebb makes itself: from a zone's own past, and from what else is known of it
// while that has the better record (better_on_record.h). Pure.

#include <memory>

#include "core/publication.h"
#include "forecast/drivers.h"
#include "forecast/forecaster.h"
#include "forecast/typical_year.h"
#include "forecast/weather.h"

namespace ebb::forecast {

/// Any may be null.
struct BesidePast {
  std::shared_ptr<const WeatherArchive> weather{};
  std::shared_ptr<const DriverInputs> drivers{};  ///< of the same publication as the history
  std::shared_ptr<const TypicalYear> typical{};   ///< of earlier years: the first weeks need them
};

/// From the past alone: of typical days, and of the regression once the past is long enough for it
/// and while it has the better record. Values are known as they begin.
std::unique_ptr<Forecaster> MakePlainForecaster(std::shared_ptr<const TypicalYear> typical);
/// From the past and, where there are any, the drivers. Keeps to `publication`.
std::unique_ptr<Forecaster> MakePastForecaster(const BesidePast& beside,
                                               const core::Publication& publication);
/// The best of all that is known.
std::unique_ptr<Forecaster> MakeOwnForecaster(const BesidePast& beside,
                                              const core::Publication& publication);

}  // namespace ebb::forecast
