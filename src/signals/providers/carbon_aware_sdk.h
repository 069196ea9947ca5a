#pragma once
// A client of the Green Software Foundation's Carbon Aware SDK (its web API 1.x): emissions by
// location and the current forecast, in g/kWh. Whether the values are average or marginal depends
// on the data source the server is set up with, which its answers do not say: it must be told. An
// Ebb as a server says it: what it was told otherwise is an Error.

#include <memory>
#include <string>
#include <string_view>

#include "signals/provider.h"

namespace ebb::signals {

/// /emissions/bylocation: [{"location", "time", "rating", "duration": "hh:mm:ss"}]; Ebb as a
/// server adds "status", "kind" and "boundary".
Result<Payload> ParseCarbonAwareSdkEmissions(std::string_view body, const std::string& where);

/// /emissions/forecasts/current: [{"generatedAt", "location", "forecastData": [{"timestamp",
/// "duration": minutes, "value"}]}]. The first forecast is read; its rows are kForecast.
Result<Payload> ParseCarbonAwareSdkForecast(std::string_view body, const std::string& where);

struct CarbonAwareSdkOptions {
  std::string base_url;
  std::string location;  ///< e.g. westus
  std::string key;       ///< sent as a bearer token where it is not empty
  core::SignalKind kind = core::SignalKind::kAverage;
};
std::unique_ptr<Provider> MakeCarbonAwareSdk(CarbonAwareSdkOptions options,
                                             HttpGetFunction http_get);

}  // namespace ebb::signals
