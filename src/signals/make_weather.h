#pragma once
// Turns options into weather: of a live source, which service, which places, what is kept where;
// of a trace, archived runs.

#include "signals/feeds/live_feed.h"
#include "signals/signal_options.h"

namespace ebb::signals {

/// Empty where the options name no weather. An Error where no places are known for the zone, the
/// server's address is none, or the weather named cannot be that of these sources. The key of
/// Open-Meteo comes from the environment variable OPEN_METEO_API_KEY, and goes to Open-Meteo only.
Result<MakeWeatherFunction> WeatherOf(const SignalOptions& options,
                                      const std::string& cache_directory);

/// How often the service may be asked: files of GFS are many small parts.
platform::Rate WeatherRate(const WeatherOptions& weather);

/// The archived runs that `weather` names for the zone of a trace: of a file, or of a folder at the
/// places of the zone. Null: it names none.
Result<std::shared_ptr<const forecast::WeatherArchive>> ArchivedWeather(
    const WeatherOptions& weather, const std::string& zone);

/// An Error where `options.weather` names weather that the sources of `options` have no use for.
Status CheckWeatherUse(const SignalOptions& options);

}  // namespace ebb::signals
