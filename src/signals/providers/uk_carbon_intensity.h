#pragma once
// The UK Carbon Intensity API of NESO (docs: carbon-intensity.github.io/api-definitions; data CC BY
// 4.0): half hours, average, generation in Great Britain with imports, direct emissions, no key.
// National values are measured some half hours later; regional ones are estimates throughout. One
// question answers both the last hours and the next two days.
// Zones: GB; GB-1 to GB-17, the API's region ids (1 to 14 distribution areas, 15 England, 16
// Scotland, 17 Wales); GB-RG41, an outward postcode.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "signals/provider.h"

namespace ebb::signals {

inline constexpr const char* kUkCarbonIntensityUrl = "https://api.carbonintensity.org.uk";

/// The part of Great Britain that a zone names.
struct UkArea {
  std::string zone;
  int region_id = 0;     ///< 0: all of Great Britain, or a postcode
  std::string postcode;  ///< outward code
};
/// nullopt for a zone that this API does not have.
std::optional<UkArea> UkAreaFromZone(std::string_view zone);

/// Reads the national shape and the three regional ones (rows that hold regions, a list of regions
/// that hold rows, one region that holds rows). A row's actual value is measured; its forecast
/// value is kForecast. `region_id` chooses one of several regions; 0: there must be only one.
Result<Payload> ParseUkCarbonIntensity(std::string_view body, int region_id,
                                       const std::string& where);

struct UkCarbonIntensityOptions {
  std::string base_url = kUkCarbonIntensityUrl;
  UkArea area{"GB", 0, ""};
};
std::unique_ptr<Provider> MakeUkCarbonIntensity(UkCarbonIntensityOptions options,
                                                HttpGetFunction http_get);

}  // namespace ebb::signals
