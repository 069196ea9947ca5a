#pragma once
// Forecasts as they were issued to the service, out of its journal: what was expected then, not
// what one would say today.

#include <vector>

#include "core/intensity.h"
#include "store/database.h"

namespace ebb::store {

struct IssuedForecast {
  Time at{};  ///< when the service was told
  core::Forecast forecast;
};

/// Of site 0, oldest first, at most one for each `every`; those without a row are left out. Reads
/// as far back as the journal is kept (30 days).
Result<std::vector<IssuedForecast>> IssuedForecasts(Database& database, Interval window,
                                                    Duration every);

}  // namespace ebb::store
