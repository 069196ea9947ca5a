#pragma once
// Turns an hourly path into a forecast: rows of the history's own step, with the history's own
// shape inside the hour, corrected by the steps of an unfinished hour. Pure.

#include "core/signal/intensity.h"
#include "forecast/ridge_model.h"

namespace ebb::forecast {

/// `path` begins with the hour after the hours that `known` covers in `grid`. Rows lie in `ahead`
/// and begin at the end of `known`. The caller names the method.
core::Forecast ForecastOf(const HourlyPath& path, const HourlyGrid& grid,
                          std::span<const core::Sample> known, const core::SignalIdentity& identity,
                          Interval ahead);

}  // namespace ebb::forecast
