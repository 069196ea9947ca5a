#pragma once
// How good the forecasts were that the service was given: each as it was issued, against what came,
// by how far ahead it looked. Pure.

#include <span>
#include <string>

#include "forecast/backtest.h"
#include "store/issued_forecasts.h"

namespace ebb::web {

/// By whole hours of lead time. Only values that were measured or estimated count as what came.
forecast::ScoreByLead RecordOf(std::span<const store::IssuedForecast> issued,
                               const core::IntensitySeries& history);

/// {"forecasts":n,"since":...,"method":...,"horizons":[{"from_h":0,"until_h":1,"rows":n,
///  "mean_absolute_error_g_per_kwh":...,"mean_relative_error":share,"bias_g_per_kwh":...,
///  "inside_band":share},...]}: horizons without a row are left out. One line.
std::string RecordToJson(std::span<const store::IssuedForecast> issued,
                         const forecast::ScoreByLead& scores);

}  // namespace ebb::web
