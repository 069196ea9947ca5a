#pragma once
// Typical days: mean life-cycle carbon intensity by season and hour of the local standard day, with
// the standard deviation of daily means. What it is: means over 2022-2023 of hourly
// consumption-based life-cycle averages as published by Electricity Maps, rounded to 1 g/kWh. Means
// are not readings: everything made from them is modelled. Data only.

#include <array>
#include <span>
#include <string_view>

namespace ebb::signals {

struct SeasonProfile {
  std::array<double, 24> g_per_kwh;  ///< by local standard hour
  double day_to_day_sd_g_per_kwh;    ///< of daily means
};

struct ZoneProfile {
  std::string_view zone;
  int utc_offset_minutes;  ///< local standard time minus UTC
  /// December-February, March-May, June-August, September-November, on both hemispheres.
  std::array<SeasonProfile, 4> seasons;
};

/// In alphabetical order of their zones.
std::span<const ZoneProfile> ZoneProfiles();

}  // namespace ebb::signals
