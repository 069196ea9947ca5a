#include "signals/traces/entsoe_areas.h"

#include <algorithm>
#include <array>

namespace ebb::signals {
namespace {

constexpr auto kAreas = std::to_array<EntsoeArea>({
    {"AT", "10YAT-APG------L", "10YAT-APG------L"},
    {"BE", "10YBE----------2", "10YBE----------2"},
    {"BG", "10YCA-BULGARIA-R", "10YCA-BULGARIA-R"},
    {"CH", "10YCH-SWISSGRIDZ", "10YCH-SWISSGRIDZ"},
    {"CZ", "10YCZ-CEPS-----N", "10YCZ-CEPS-----N"},
    {"DE", "10Y1001A1001A83F", "10Y1001A1001A82H"},  // shares a bidding zone with Luxembourg
    {"DK", "10Y1001A1001A65H", ""},
    {"DK-DK1", "10YDK-1--------W", "10YDK-1--------W"},
    {"DK-DK2", "10YDK-2--------M", "10YDK-2--------M"},
    {"EE", "10Y1001A1001A39I", "10Y1001A1001A39I"},
    {"ES", "10YES-REE------0", "10YES-REE------0"},
    {"FI", "10YFI-1--------U", "10YFI-1--------U"},
    {"FR", "10YFR-RTE------C", "10YFR-RTE------C"},
    {"GR", "10YGR-HTSO-----Y", "10YGR-HTSO-----Y"},
    {"HR", "10YHR-HEP------M", "10YHR-HEP------M"},
    {"HU", "10YHU-MAVIR----U", "10YHU-MAVIR----U"},
    {"IE", "10YIE-1001A00010", "10Y1001A1001A59C"},  // has the prices of the whole island
    {"IT", "10YIT-GRTN-----B", ""},
    {"IT-CNO", "10Y1001A1001A70O", "10Y1001A1001A70O"},
    {"IT-CSO", "10Y1001A1001A71M", "10Y1001A1001A71M"},
    {"IT-NO", "10Y1001A1001A73I", "10Y1001A1001A73I"},
    {"IT-SAR", "10Y1001A1001A74G", "10Y1001A1001A74G"},
    {"IT-SIC", "10Y1001A1001A75E", "10Y1001A1001A75E"},
    {"IT-SO", "10Y1001A1001A788", "10Y1001A1001A788"},
    {"LT", "10YLT-1001A0008Q", "10YLT-1001A0008Q"},
    {"LU", "10YLU-CEGEDEL-NQ", "10Y1001A1001A82H"},
    {"LV", "10YLV-1001A00074", "10YLV-1001A00074"},
    {"NL", "10YNL----------L", "10YNL----------L"},
    {"NO", "10YNO-0--------C", ""},
    {"NO-NO1", "10YNO-1--------2", "10YNO-1--------2"},
    {"NO-NO2", "10YNO-2--------T", "10YNO-2--------T"},
    {"NO-NO3", "10YNO-3--------J", "10YNO-3--------J"},
    {"NO-NO4", "10YNO-4--------9", "10YNO-4--------9"},
    {"NO-NO5", "10Y1001A1001A48H", "10Y1001A1001A48H"},
    {"PL", "10YPL-AREA-----S", "10YPL-AREA-----S"},
    {"PT", "10YPT-REN------W", "10YPT-REN------W"},
    {"RO", "10YRO-TEL------P", "10YRO-TEL------P"},
    {"RS", "10YCS-SERBIATSOV", "10YCS-SERBIATSOV"},
    {"SE", "10YSE-1--------K", ""},
    {"SE-SE1", "10Y1001A1001A44P", "10Y1001A1001A44P"},
    {"SE-SE2", "10Y1001A1001A45N", "10Y1001A1001A45N"},
    {"SE-SE3", "10Y1001A1001A46L", "10Y1001A1001A46L"},
    {"SE-SE4", "10Y1001A1001A47J", "10Y1001A1001A47J"},
    {"SI", "10YSI-ELES-----O", "10YSI-ELES-----O"},
    {"SK", "10YSK-SEPS-----K", "10YSK-SEPS-----K"},
});

}  // namespace

const EntsoeArea* AreaOfZone(std::string_view zone) {
  const auto* found = std::ranges::find(kAreas, zone, &EntsoeArea::zone);
  return found == kAreas.end() ? nullptr : found;
}

std::vector<std::string> ZonesWithAreas() {
  std::vector<std::string> zones;
  for (const EntsoeArea& area : kAreas) zones.emplace_back(area.zone);
  return zones;
}

}  // namespace ebb::signals
