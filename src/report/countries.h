#pragma once
// Countries of grid zones, for CodeCarbon's country columns. A zone begins with its country's
// two-letter code ("US-CAL-CISO"); codes and names after ISO 3166-1.

#include <string>
#include <string_view>

namespace ebb::report {

struct Country {
  std::string iso3;  ///< "USA"; empty when the zone's country is not in the table
  std::string name;
};
Country CountryOfZone(std::string_view zone);

}  // namespace ebb::report
