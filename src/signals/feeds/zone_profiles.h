#pragma once
// Typical days: mean life-cycle carbon intensity by season and hour, with the standard deviation of
// daily means. What it is: means over 2022-2023 of hourly consumption-based life-cycle averages as
// published by Electricity Maps (of the file: by way of CarbonX), rounded to 1 g/kWh. Means are not
// readings: everything made from them is modelled. What they are worth: profile_worth.h. Data only.

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "forecast/typical_year.h"

namespace ebb::signals {

struct SeasonProfile {
  std::array<double, 24> g_per_kwh;  ///< by hour
  double day_to_day_sd_g_per_kwh;    ///< of daily means
};

struct ZoneProfile {
  std::string_view zone;
  int utc_offset_minutes;  ///< local standard time minus UTC; 0: the hours are those of UTC
  /// December-February, March-May, June-August, September-November, on both hemispheres.
  std::array<SeasonProfile, 4> seasons;
};

/// A zone's place never changes (profile_feed.cc: its seed goes by it).
std::span<const ZoneProfile> ZoneProfiles();

/// Those of the zone, or of the zone that it is a part of ("SE-SE3": of SE); nullptr: there are
/// none.
const ZoneProfile* FindZoneProfile(std::string_view zone);

/// Those of the zone, as forecasts begin with them; null: there are none.
std::shared_ptr<const forecast::TypicalYear> TypicalYearOf(std::string_view zone);

/// The zones that have the days of a zone which holds them.
std::vector<std::string_view> PartsWithProfiles();

}  // namespace ebb::signals
