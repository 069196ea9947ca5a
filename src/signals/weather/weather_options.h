#pragma once
// Where the weather of a zone comes from, as plain values.

#include <string>

#include "base/time.h"

namespace ebb::signals {

/// How long after a run began it could be had, where nobody says otherwise: global models publish
/// their runs after four to five hours.
inline constexpr Duration kUsualWeatherLag{std::chrono::hours{6}};

/// What names Open-Meteo where a file could be named.
inline constexpr const char* kOpenMeteoName = "open-meteo";

struct WeatherOptions {
  /// A file of archived runs (weather_csv.h), or a folder of files of GFS (grib_folder.h), which
  /// live sources take as well; empty: none.
  std::string path;
  Duration publication_lag = kUsualWeatherLag;  ///< of runs in files that do not say it
  bool open_meteo = false;                      ///< live sources: ask it (open_meteo.h)
  std::string points;  ///< where, as PointsFromText reads; empty: the zone's (zone_points.h)
  std::string url;     ///< a server of one's own; empty: Open-Meteo's

  /// "open-meteo", a file or a folder.
  void Name(const std::string& source) {
    open_meteo = source == kOpenMeteoName;
    path = open_meteo ? "" : source;
  }
  bool empty() const { return path.empty() && !open_meteo; }
  /// Whether `path` is a folder, as it is now.
  bool IsFolder() const;
};

}  // namespace ebb::signals
