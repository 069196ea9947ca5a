#pragma once
// Which areas of the ENTSO-E transparency platform a zone of intensity is: the codes (EIC) of the
// area of its load and generation, and of the bidding zone of its prices. From the platform's list
// of areas; zones as Electricity Maps names them.

#include <string>
#include <string_view>
#include <vector>

namespace ebb::signals {

struct EntsoeArea {
  std::string_view zone;
  std::string_view balance;  ///< of load, wind and sun
  std::string_view prices;   ///< "" where the zone has several bidding zones
};

/// Nullptr: no area is known for it.
const EntsoeArea* AreaOfZone(std::string_view zone);
std::vector<std::string> ZonesWithAreas();

}  // namespace ebb::signals
