#pragma once
// What a GRIB2 file of NOAA's GFS says of the weather at places: wind above ground, temperature at
// 2 m, short wave and precipitation at the surface, between the points of its grid. Everything
// else in the file is passed over. Decoded by ecCodes (eccodes.h). From any thread, one at a time.

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
  Time issued{};            ///< when the run starts
  Duration from{0}, to{0};  ///< the span, from `issued` on; a moment: both are the same
  std::vector<double> at_points;  ///< in the order of the places; NaN where the model has none
};

/// The fields in whole messages, one after the other; `where` names them in errors. An Error where
/// a message is damaged, ends early or is none, where it cannot be decoded, or where a place lies
/// outside its grid.
Result<std::vector<GribField>> ReadGrib(std::string_view messages, const std::string& where,
                                        const std::vector<WeatherPoint>& points);

/// The same of a file, of which one message at a time is held in memory.
Result<std::vector<GribField>> ReadGribFile(const std::string& path,
                                            const std::vector<WeatherPoint>& points);

/// When the run of a file starts, from its first message alone.
Result<Time> RunOfGribFile(const std::string& path);

}  // namespace ebb::signals
