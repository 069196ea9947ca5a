#pragma once
// Fields of GFS as runs of weather: NOAA gives radiation and precipitation as means and sums over
// spans that begin anew every six hours (0-3, 0-6, 6-9, 6-12 h; sums also from the start of the
// run), so what fell in between is the difference of two of them. Pure.

#include <vector>

#include "forecast/weather.h"
#include "signals/weather/grib_field.h"
#include "signals/weather/weather_source.h"

namespace ebb::signals {

/// The places of a zone among those that the fields are at.
struct PlacesOfZone {
  std::size_t first = 0, count = 0;
};

/// One for all runs that a live source keeps, of which nobody knows yet whether they will have wind
/// at 100 m.
inline constexpr int kLiveWindHeight_m = 10;

/// Metres above ground: 100 where all fields have their wind there, as turbines see it, else 10.
int WindHeightOf(const std::vector<GribField>& fields);

/// Means over the places, a run for each start, in order, published `lag` later. An hour that lacks
/// a field, or for which more than a quarter of the places have no value, is unknown; without any
/// field of precipitation there is none. An Error where two fields say the same, or where a run has
/// no hour.
Result<std::vector<forecast::WeatherRun>> RunsOfGfs(const std::vector<GribField>& fields,
                                                    PlacesOfZone places, int wind_height_m,
                                                    Duration lag);

/// The same for zones whose places follow one another in the fields.
Result<RunsByZone> RunsOfZones(const std::vector<GribField>& fields,
                               const std::vector<ZoneToAsk>& zones, int wind_height_m,
                               Duration lag);

/// The places of zones, one zone after the other.
std::vector<WeatherPoint> PointsOf(const std::vector<ZoneToAsk>& zones);

}  // namespace ebb::signals
