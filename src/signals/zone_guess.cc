#include "signals/zone_guess.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace ebb::signals {
namespace {

// Time zones named after a city in a country with several grids, and the grid of that city.
constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kPlaces{{
    {"America/Boise", "US-NW-IPCO"},
    {"America/Chicago", "US-MIDA-PJM"},
    {"America/Denver", "US-NW-PSCO"},
    {"America/Detroit", "US-MIDW-MISO"},
    {"America/Edmonton", "CA-AB"},
    {"America/Fortaleza", "BR-NE"},
    {"America/Los_Angeles", "US-CAL-CISO"},
    {"America/Manaus", "BR-N"},
    {"America/New_York", "US-NY-NYIS"},
    {"America/Phoenix", "US-SW-AZPS"},
    {"America/Recife", "BR-NE"},
    {"America/Santiago", "CL-SEN"},
    {"America/Sao_Paulo", "BR-CS"},
    {"America/Toronto", "CA-ON"},
    {"Asia/Kuala_Lumpur", "MY-WM"},
    {"Asia/Novosibirsk", "RU-2"},
    {"Asia/Tokyo", "JP-TK"},
    {"Australia/Adelaide", "AU-SA"},
    {"Australia/Brisbane", "AU-QLD"},
    {"Australia/Darwin", "AU-NT"},
    {"Australia/Hobart", "AU-TAS"},
    {"Australia/Melbourne", "AU-VIC"},
    {"Australia/Perth", "AU-WA"},
    {"Australia/Sydney", "AU-NSW"},
    {"Europe/Moscow", "RU-1"},
}};

}  // namespace

std::optional<std::string> ZoneOfTimeZone(std::string_view time_zone, std::string_view zone_tab) {
  for (const auto& [name, zone] : kPlaces)
    if (name == time_zone) return std::string(zone);
  for (const std::string_view line : Split(zone_tab, '\n')) {
    if (line.starts_with('#')) continue;
    const auto fields = Split(line, '\t');
    if (fields.size() >= 3 && fields[2] == time_zone) return std::string(fields[0]);
  }
  return std::nullopt;
}

}  // namespace ebb::signals
