#pragma once
// Typical days: mean life-cycle carbon intensity by season and hour, with the standard deviation of
// daily means. Source: means over 2022-2023 of hourly consumption-based life-cycle averages as
// published by Electricity Maps (the zones of the file: by way of CarbonX), rounded to 1 g/kWh.
// Means are not readings: everything made from them is modelled. Their worth: profile_worth.h. Data
// only.

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "forecast/typical_year.h"

namespace ebb::signals {

struct SeasonProfile {
  std::array<double, 24> g_per_kwh;  ///< by hour
  double day_to_day_sd_g_per_kwh;    ///< standard deviation of daily means
};

struct ZoneProfile {
  std::string_view zone;
  int utc_offset_minutes;  ///< local standard time minus UTC; 0: the hours are those of UTC
  /// Seasons December-February, March-May, June-August, September-November, on both hemispheres.
  std::array<SeasonProfile, 4> seasons;
};

/// The table; a zone's place in it never changes, because its seed depends on it (profile_feed.cc).
std::span<const ZoneProfile> ZoneProfiles();

/// The typical days of the zone, or of the zone that it is a part of ("SE-SE3": SE); nullptr if
/// there are none.
const ZoneProfile* FindZoneProfile(std::string_view zone);

/// The zone's typical days in the form with which forecasts begin; null if there are none.
std::shared_ptr<const forecast::TypicalYear> TypicalYearOf(std::string_view zone);

/// Zones that use the typical days of a larger zone that contains them.
std::vector<std::string_view> PartsWithProfiles();

}  // namespace ebb::signals
