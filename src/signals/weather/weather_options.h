#pragma once
// The choice of a zone's weather, as plain values.

#include <string>
#include <string_view>

#include "base/time.h"

namespace ebb::signals {

/// The time from a run's begin until it was published, unless stated: global models publish their
/// runs after four to five hours.
inline constexpr Duration kUsualWeatherLag{std::chrono::hours{6}};

/// A service that live sources ask for weather.
enum class WeatherService {
  kNone,
  kOpenMeteo,  ///< open_meteo.h
  kGfs,        ///< NOAA's files, gfs_server.h
};
/// The names "open-meteo", "gfs", which an option takes in place of a file; "" for none.
std::string_view Name(WeatherService service);

struct WeatherOptions {
  /// A file of archived runs (weather_csv.h), or a folder of files of GFS (grib_folder.h), which
  /// live sources take as well; empty: none.
  std::string path;
  Duration publication_lag = kUsualWeatherLag;  ///< for runs in files that do not state it
  WeatherService service = WeatherService::kNone;
  std::string points;  ///< places that PointsFromText reads; empty: the zone's (zone_points.h)
  std::string url;     ///< address of another server; empty: the service's own

  /// Sets the service if `source` names one, or else the path.
  void Choose(const std::string& source);
  bool empty() const { return path.empty() && service == WeatherService::kNone; }
  /// Whether `path` is a folder at present.
  bool IsFolder() const;
};

}  // namespace ebb::signals
