#pragma once
// Turns options into weather. For a live source: the service, the places, the cache. For a trace:
// archived runs.

#include "signals/feeds/live_feed.h"
#include "signals/signal_options.h"

namespace ebb::signals {

/// Empty if the options name no weather. Errors: no places are known for the zone, the server's
/// address is not valid, or the weather named does not fit these sources. The key of Open-Meteo
/// comes from the environment variable OPEN_METEO_API_KEY, and goes to Open-Meteo only.
Result<MakeWeatherFunction> WeatherOf(const SignalOptions& options,
                                      const std::string& cache_directory);

/// The limit of requests to the service: files of GFS are many small parts.
platform::Rate WeatherRate(const WeatherOptions& weather);

/// The archived runs that `weather` names for the zone of a trace: from a file, or from a folder at
/// the places of the zone. Null if it names none.
Result<std::shared_ptr<const forecast::WeatherArchive>> ArchivedWeather(
    const WeatherOptions& weather, const std::string& zone);

/// An Error if `options.weather` names weather that the sources of `options` do not use.
Status CheckWeatherUse(const SignalOptions& options);

}  // namespace ebb::signals
