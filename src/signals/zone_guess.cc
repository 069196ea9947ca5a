#include "signals/zone_guess.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace ebb::signals {
namespace {

// Grids of a part of a country that hold the city which the time zone is named after.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kPlaces{{
    {"America/Los_Angeles", "US-CAL-CISO"},
    {"Asia/Tokyo", "JP-TK"},
    {"Australia/Sydney", "AU-NSW"},
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
