#pragma once
// Where the weather of a zone comes from, as plain values.

#include <string>
#include <string_view>

#include "base/time.h"

namespace ebb::signals {

/// How long after a run began it could be had, where nobody says otherwise: global models publish
/// their runs after four to five hours.
inline constexpr Duration kUsualWeatherLag{std::chrono::hours{6}};

/// A service that live sources ask for weather.
enum class WeatherService {
  kNone,
  kOpenMeteo,  ///< open_meteo.h
  kGfs,        ///< NOAA's files, gfs_server.h
};
/// "open-meteo", "gfs", where a file could be named; "" for none.
std::string_view Name(WeatherService service);

struct WeatherOptions {
  /// A file of archived runs (weather_csv.h), or a folder of files of GFS (grib_folder.h), which
  /// live sources take as well; empty: none.
  std::string path;
  Duration publication_lag = kUsualWeatherLag;  ///< of runs in files that do not say it
  WeatherService service = WeatherService::kNone;
  std::string points;  ///< where, as PointsFromText reads; empty: the zone's (zone_points.h)
  std::string url;     ///< of another server than the service's own; empty: that one

  /// Sets the service, or else the path.
  void Choose(const std::string& source);
  bool empty() const { return path.empty() && service == WeatherService::kNone; }
  /// Whether `path` is a folder, as it is now.
  bool IsFolder() const;
};

}  // namespace ebb::signals
