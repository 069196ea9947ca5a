#pragma once
// Turns fields of GFS into runs of weather. NOAA gives radiation and precipitation as means and
// sums over spans that begin anew every six hours (0-3, 0-6, 6-9, 6-12 h; sums also from the start
// of the run), so the value of a shorter time is the difference of two of them. Pure.

#include <vector>

#include "forecast/weather.h"
#include "signals/weather/grib_field.h"
#include "signals/weather/weather_source.h"

namespace ebb::signals {

/// The places of one zone within the places of the fields.
struct PlacesOfZone {
  std::size_t first = 0, count = 0;
};

/// The wind height of live sources: one height for all runs, because later runs may not have wind
/// at 100 m.
inline constexpr int kLiveWindHeight_m = 10;

/// Metres above ground: 100 if all fields have their wind there, as turbines see it, else 10.
int WindHeightOf(const std::vector<GribField>& fields);

/// Means over the places, a run for each start, in order, published `lag` later. An hour is unknown
/// if it lacks a field, or if more than a quarter of the places have no value; without any field of
/// precipitation, precipitation is unknown. Errors: two fields say the same, a run has no hour.
Result<std::vector<forecast::WeatherRun>> RunsOfGfs(const std::vector<GribField>& fields,
                                                    PlacesOfZone places, int wind_height_m,
                                                    Duration lag);

/// The same for several zones, whose places follow one another in the fields.
Result<RunsByZone> RunsOfZones(const std::vector<GribField>& fields,
                               const std::vector<ZoneToAsk>& zones, int wind_height_m,
                               Duration lag);

/// All places of the zones, one zone after the other.
std::vector<WeatherPoint> PointsOf(const std::vector<ZoneToAsk>& zones);

}  // namespace ebb::signals
