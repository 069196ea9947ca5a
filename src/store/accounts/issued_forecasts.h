#pragma once
// Forecasts as they were issued to the service, from its journal: the expectation of that time, not
// a forecast made today.

#include <vector>

#include "core/signal/intensity.h"
#include "store/database/database.h"

namespace ebb::store {

struct IssuedForecast {
  Time at{};  ///< when the service received it
  core::Forecast forecast;
};

/// Forecasts of site 0, oldest first, at most one for each `every`; forecasts without a value are
/// left out. Reads as far back as the journal is kept (30 days).
Result<std::vector<IssuedForecast>> IssuedForecasts(Database& database, Interval window,
                                                    Duration every);

}  // namespace ebb::store
