#include "signals/make_weather.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "signals/http/web_request.h"
#include "signals/weather/open_meteo.h"

namespace ebb::signals {
namespace {

Error Unused(std::string what, std::string next) {
  return {ExitCode::kConfiguration, std::move(what), "", std::move(next)};
}

Result<std::vector<WeatherPoint>> PointsFor(const SignalOptions& options) {
  if (!options.weather.points.empty()) return PointsFromText(options.weather.points);
  std::vector<WeatherPoint> points = PointsOfZone(options.zone);
  if (points.empty())
    return Fail(
        {ExitCode::kConfiguration,
         "no places are known where the weather of zone " + options.zone + " could be looked at",
         "",
         "give some where its turbines, panels and people are: --weather-points \"54.4,9.2; "
         "53.4,7.6\"; known are " +
             Join(ZonesWithPoints(), ", ")});
  return points;
}

Result<OpenMeteoOptions> ServersFor(const WeatherOptions& weather) {
  OpenMeteoOptions servers;
  if (!weather.url.empty()) {
    std::string url = weather.url;
    while (url.ends_with('/')) url.pop_back();
    EBB_RETURN_IF_ERROR(CheckAddress(url, false));
    servers.base_url = servers.previous_runs_url = url;
    return servers;
  }
  const char* key = std::getenv(kOpenMeteoKeyVariable);
  if (!key || !*key) return servers;
  servers.key = Trim(key);
  servers.base_url = kOpenMeteoCustomerUrl;
  servers.previous_runs_url = kOpenMeteoCustomerPreviousRunsUrl;
  return servers;
}

}  // namespace

Status CheckWeatherUse(const SignalOptions& options) {
  const WeatherOptions& weather = options.weather;
  const std::vector<SignalSource> sources = SourcesOf(options);
  const bool live = std::any_of(sources.begin(), sources.end(), IsLive);
  if (!weather.open_meteo && !(weather.points.empty() && weather.url.empty()))
    return Fail(Unused("places or a server are given, but no weather",
                       "add --weather open-meteo (weather: open-meteo)"));
  if (weather.open_meteo && !live)
    return Fail(Unused("Open-Meteo tells the weather of today, for live sources: signal " +
                           NamesOfSources(options) + " is none",
                       "choose a live source, or give a trace a file of archived runs"));
  if (!weather.path.empty() && options.source != SignalSource::kReplay)
    return Fail(Unused(
        "a file of archived weather is for traces, not for signal " + NamesOfSources(options),
        "give --weather open-meteo with a live source, or a trace"));
  return {};
}

Result<MakeWeatherFunction> WeatherOf(const SignalOptions& options,
                                      const std::string& cache_directory) {
  if (!options.weather.open_meteo) return MakeWeatherFunction();
  ZoneToAsk zone{options.zone, {}};
  EBB_ASSIGN_OR_RETURN(zone.points, PointsFor(options));
  EBB_ASSIGN_OR_RETURN(const OpenMeteoOptions servers, ServersFor(options.weather));
  LiveWeatherOptions live;
  live.cache_directory = cache_directory;
  return MakeWeatherFunction([=](HttpGetFunction http_get) {
    return std::make_unique<LiveWeather>(MakeOpenMeteo(servers, std::move(http_get)), zone, live);
  });
}

}  // namespace ebb::signals
