#pragma once
// The areas of the ENTSO-E transparency platform that belong to a zone of intensity: the code (EIC)
// of the area of its load and generation, and of the bidding zone of its prices. Source: the
// platform's list of areas; zones have Electricity Maps' names.

#include <string>
#include <string_view>
#include <vector>

namespace ebb::signals {

struct EntsoeArea {
  std::string_view zone;
  std::string_view balance;  ///< area of load, wind and sun
  std::string_view prices;   ///< bidding zone; "" if the zone has several
};

/// nullptr if no area is known for the zone.
const EntsoeArea* AreaOfZone(std::string_view zone);
std::vector<std::string> ZonesWithAreas();

}  // namespace ebb::signals
