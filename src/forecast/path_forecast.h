#pragma once
// An hourly path as a forecast: rows of the history's own step, the history's own shape inside the
// hour, and what the steps of an unfinished hour say. Pure.

#include "core/intensity.h"
#include "forecast/ridge_model.h"

namespace ebb::forecast {

/// `path` begins with the hour after those that `known` covers in `grid`. Rows lie in `ahead`, and
/// begin where `known` ends. The caller names the method.
core::Forecast ForecastOf(const HourlyPath& path, const HourlyGrid& grid,
                          std::span<const core::Sample> known, const core::SignalIdentity& identity,
                          Interval ahead);

}  // namespace ebb::forecast
