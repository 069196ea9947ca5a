#pragma once
// The accuracy of the forecasts that the service received: each forecast as it was issued is
// compared with the later values, by lead time. Pure.

#include <span>
#include <string>

#include "forecast/backtest.h"
#include "store/accounts/issued_forecasts.h"

namespace ebb::web {

/// The scores of the forecasts by whole hours of lead time. Forecasts are compared only with
/// measured or estimated values.
forecast::ScoreByLead RecordOf(std::span<const store::IssuedForecast> issued,
                               const core::IntensitySeries& history);

/// {"forecasts":n,"since":...,"method":...,"horizons":[{"from_h":0,"until_h":1,"rows":n,
///  "mean_absolute_error_g_per_kwh":...,"mean_relative_error":share,"bias_g_per_kwh":...,
///  "inside_band":share},...]}: horizons without a row are left out. One line.
std::string RecordToJson(std::span<const store::IssuedForecast> issued,
                         const forecast::ScoreByLead& scores);

}  // namespace ebb::web
