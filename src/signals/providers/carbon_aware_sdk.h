#pragma once
// A client of the Green Software Foundation's Carbon Aware SDK (its web API 1.x): emissions by
// location and the current forecast, in g/kWh. Values are average or marginal depending on the data
// source of the server, which its answers do not say: the user must. Ebb as a server says it, and
// an option that contradicts it is an Error.

#include <memory>
#include <string>
#include <string_view>

#include "signals/provider.h"

namespace ebb::signals {

/// Reads /emissions/bylocation: [{"location", "time", "rating", "duration": "hh:mm:ss"}]; Ebb as a
/// server adds "status", "kind" and "boundary".
Result<Payload> ParseCarbonAwareSdkEmissions(std::string_view body, const std::string& where);

/// Reads /emissions/forecasts/current: [{"generatedAt", "location", "forecastData": [{"timestamp",
/// "duration": minutes, "value"}]}]. Takes the first forecast; its rows are kForecast.
Result<Payload> ParseCarbonAwareSdkForecast(std::string_view body, const std::string& where);

struct CarbonAwareSdkOptions {
  std::string base_url;
  std::string location;  ///< e.g. westus
  std::string key;       ///< sent as a bearer token if not empty
  core::SignalKind kind = core::SignalKind::kAverage;
};
std::unique_ptr<Provider> MakeCarbonAwareSdk(CarbonAwareSdkOptions options,
                                             HttpGetFunction http_get);

}  // namespace ebb::signals
