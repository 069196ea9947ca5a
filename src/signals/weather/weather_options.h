#pragma once
// Where the weather of a zone comes from, as plain values.

#include <string>

#include "base/time.h"

namespace ebb::signals {

/// How long after a run began it could be had, where nobody says otherwise: global models publish
/// their runs after four to five hours.
inline constexpr Duration kUsualWeatherLag{std::chrono::hours{6}};

struct WeatherOptions {
  std::string path;  ///< replay: a file of archived runs (weather_csv.h); empty: no weather
  Duration publication_lag = kUsualWeatherLag;  ///< of runs in a file that does not say it
};

}  // namespace ebb::signals
