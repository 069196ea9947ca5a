#pragma once
// Reads the weather at places from a GRIB2 file of NOAA's GFS: wind above ground, temperature at 2
// m, short wave and precipitation at the surface, interpolated between the points of its grid.
// Other fields are skipped. Decoded by ecCodes (eccodes.h). From any thread, one at a time.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "signals/weather/zone_points.h"

namespace ebb::signals {

enum class GribQuantity {
  kWindEast,     ///< m/s, at this moment
  kWindNorth,    ///< m/s, at this moment
  kTemperature,  ///< K, at 2 m, at this moment
  kShortwave,    ///< W/m2 downward at the surface, mean over a span
  kRain,         ///< mm/h, mean over a span
  kRainSum,      ///< mm, sum over a span
};

struct GribField {
  GribQuantity quantity{};
  int height_m = 0;         ///< above ground: 10 or 100 (wind), 2 (temperature), 0: the surface
  Time issued{};            ///< start of the run
  Duration from{0}, to{0};  ///< the span, counted from `issued`; at a moment both are the same
  std::vector<double> at_points;  ///< one value for each place, in order; NaN if the model has none
};

/// Reads the fields of whole messages, one after the other; `where` names them in errors. Errors: a
/// message is damaged, ends early, is not GRIB2 or cannot be decoded, or a place lies outside its
/// grid.
Result<std::vector<GribField>> ReadGrib(std::string_view messages, const std::string& where,
                                        const std::vector<WeatherPoint>& points);

/// The same for a file; one message at a time is held in memory.
Result<std::vector<GribField>> ReadGribFile(const std::string& path,
                                            const std::vector<WeatherPoint>& points);

/// The start of the run in a file, from its first message alone.
Result<Time> RunOfGribFile(const std::string& path);

}  // namespace ebb::signals
