#pragma once
// Electricity Maps, API v3 and v4 (docs: portal.electricitymaps.com/docs): latest, history (24 h),
// past-range, forecast. Average intensity, consumption-based; life cycle unless direct is asked
// for. Needs a key (header auth-token). History and forecast depend on the plan: a free key has the
// last 24 hours and no forecast, and then Ebb's own forecast is used.

#include <memory>
#include <string>
#include <string_view>

#include "signals/provider.h"

namespace ebb::signals {

inline constexpr const char* kElectricityMapsUrl = "https://api.electricitymaps.com/v3";
inline constexpr const char* kElectricityMapsKeyVariable = "ELECTRICITYMAPS_API_KEY";

/// Reads any of the four shapes. A null value is a gap; isEstimated marks a value estimated; the
/// rows of a forecast are kForecast.
Result<Payload> ParseElectricityMaps(std::string_view body, const std::string& where);

struct ElectricityMapsOptions {
  std::string base_url = kElectricityMapsUrl;  ///< .../v3 or .../v4
  std::string zone;
  std::string key;
  core::Boundary boundary = core::Boundary::kLifecycle;
};
std::unique_ptr<Provider> MakeElectricityMaps(ElectricityMapsOptions options,
                                              HttpGetFunction http_get);

}  // namespace ebb::signals
