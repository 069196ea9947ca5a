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
  std::string path;  ///< replay: a file of archived runs (weather_csv.h); empty: no weather
  Duration publication_lag = kUsualWeatherLag;  ///< of runs in a file that does not say it
  bool open_meteo = false;                      ///< live sources: ask it (open_meteo.h)
  std::string points;  ///< where, as PointsFromText reads; empty: the zone's (zone_points.h)
  std::string url;     ///< a server of one's own; empty: Open-Meteo's

  /// "open-meteo", or a file.
  void Name(const std::string& source) {
    open_meteo = source == kOpenMeteoName;
    path = open_meteo ? "" : source;
  }
};

}  // namespace ebb::signals
