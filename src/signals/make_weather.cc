#include "signals/make_weather.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "signals/http/web_request.h"
#include "signals/weather/eccodes.h"
#include "signals/weather/gfs_server.h"
#include "signals/weather/grib_folder.h"
#include "signals/weather/open_meteo.h"
#include "signals/weather/weather_csv.h"

namespace ebb::signals {
namespace {

Error Unused(std::string what, std::string next) {
  return {ExitCode::kConfiguration, std::move(what), "", std::move(next)};
}

Result<std::vector<WeatherPoint>> PointsFor(const WeatherOptions& weather,
                                            const std::string& zone) {
  if (!weather.points.empty()) return PointsFromText(weather.points);
  std::vector<WeatherPoint> points = PointsOfZone(zone);
  if (points.empty())
    return Fail(
        {ExitCode::kConfiguration,
         "no places are known where the weather of zone " + zone + " could be looked at", "",
         "give some where its turbines, panels and people are: --weather-points \"54.4,9.2; "
         "53.4,7.6\"; known are " +
             Join(ZonesWithPoints(), ", ")});
  return points;
}

// The address of the user's own server, without a final slash.
Result<std::string> OwnServer(const WeatherOptions& weather) {
  std::string url = weather.url;
  while (url.ends_with('/')) url.pop_back();
  EBB_RETURN_IF_ERROR(CheckAddress(url, false));
  return url;
}

Result<OpenMeteoOptions> OpenMeteoServers(const WeatherOptions& weather) {
  OpenMeteoOptions servers;
  if (!weather.url.empty()) {
    EBB_ASSIGN_OR_RETURN(servers.base_url, OwnServer(weather));
    servers.previous_runs_url = servers.base_url;
    return servers;
  }
  const char* key = std::getenv(kOpenMeteoKeyVariable);
  if (!key || !*key) return servers;
  servers.key = Trim(key);
  servers.base_url = kOpenMeteoCustomerUrl;
  servers.previous_runs_url = kOpenMeteoCustomerPreviousRunsUrl;
  return servers;
}

using MakeSource = std::function<std::unique_ptr<WeatherSource>(HttpGetFunction)>;

Result<MakeSource> SourceOf(const WeatherOptions& weather) {
  if (weather.service == WeatherService::kNone)
    return MakeSource([=](const HttpGetFunction&) {
      return MakeGribFolder(weather.path, weather.publication_lag);
    });
  if (weather.service == WeatherService::kGfs) {
    std::string server = kGfsUrl;
    if (!weather.url.empty()) {
      EBB_ASSIGN_OR_RETURN(server, OwnServer(weather));
    }
    EBB_RETURN_IF_ERROR(LibEcCodes());
    return MakeSource(
        [=](HttpGetFunction http_get) { return MakeGfsServer(server, std::move(http_get)); });
  }
  EBB_ASSIGN_OR_RETURN(const OpenMeteoOptions servers, OpenMeteoServers(weather));
  return MakeSource(
      [=](HttpGetFunction http_get) { return MakeOpenMeteo(servers, std::move(http_get)); });
}

}  // namespace

std::string_view Name(WeatherService service) {
  switch (service) {
    case WeatherService::kOpenMeteo:
      return "open-meteo";
    case WeatherService::kGfs:
      return "gfs";
    case WeatherService::kNone:
      break;
  }
  return "";
}

void WeatherOptions::Choose(const std::string& source) {
  path = source;
  service = WeatherService::kNone;
  for (const WeatherService known : {WeatherService::kOpenMeteo, WeatherService::kGfs})
    if (Name(known) == source) {
      path.clear();
      service = known;
    }
}

bool WeatherOptions::IsFolder() const {
  std::error_code failed;
  return !path.empty() && std::filesystem::is_directory(path, failed);
}

Status CheckWeatherUse(const SignalOptions& options) {
  const WeatherOptions& weather = options.weather;
  const std::vector<SignalSource> sources = SourcesOf(options);
  const bool live = std::any_of(sources.begin(), sources.end(), IsLive);
  const bool asks = weather.service != WeatherService::kNone;
  const bool places_used = asks || weather.IsFolder();
  if ((!weather.points.empty() && !places_used) || (!weather.url.empty() && !asks))
    return Fail(Unused("places or a server are given, but no weather that has use for them",
                       "add --weather open-meteo (weather: open-meteo)"));
  if (asks && !live)
    return Fail(Unused(std::string(Name(weather.service)) +
                           " tells the weather of today, for live sources: signal " +
                           NamesOfSources(options) + " is none",
                       "choose a live source, or give a trace a file of archived runs"));
  if (weather.IsFolder() && !live && options.source != SignalSource::kReplay)
    return Fail(Unused("a folder of weather is for live sources and traces, not for signal " +
                           NamesOfSources(options),
                       "choose a live source or a trace"));
  if (!weather.path.empty() && !weather.IsFolder() && options.source != SignalSource::kReplay)
    return Fail(Unused(
        "a file of archived weather is for traces, not for signal " + NamesOfSources(options),
        "give --weather open-meteo, gfs or a folder of files of GFS with a live source, or a "
        "trace"));
  return {};
}

Result<MakeWeatherFunction> WeatherOf(const SignalOptions& options,
                                      const std::string& cache_directory) {
  if (options.weather.empty()) return MakeWeatherFunction();
  ZoneToAsk zone{options.zone, {}};
  EBB_ASSIGN_OR_RETURN(zone.points, PointsFor(options.weather, options.zone));
  EBB_ASSIGN_OR_RETURN(const MakeSource make_source, SourceOf(options.weather));
  LiveWeatherOptions live;
  live.cache_directory = cache_directory;
  return MakeWeatherFunction([=](HttpGetFunction http_get) {
    return std::make_unique<LiveWeather>(make_source(std::move(http_get)), zone, live);
  });
}

// NOAA's own server asks for fewer than 120 requests a minute.
platform::Rate WeatherRate(const WeatherOptions& weather) {
  return weather.service == WeatherService::kGfs ? platform::Rate{100, 20} : platform::Rate{};
}

Result<std::shared_ptr<const forecast::WeatherArchive>> ArchivedWeather(
    const WeatherOptions& weather, const std::string& zone) {
  if (weather.path.empty()) return nullptr;
  std::vector<WeatherPoint> points;
  if (weather.IsFolder()) {
    EBB_ASSIGN_OR_RETURN(points, PointsFor(weather, zone));
  }
  EBB_ASSIGN_OR_RETURN(forecast::WeatherArchive archive,
                       points.empty()
                           ? LoadWeather(weather.path, weather.publication_lag)
                           : ReadGribFolder(weather.path, points, weather.publication_lag));
  return std::make_shared<const forecast::WeatherArchive>(std::move(archive));
}

}  // namespace ebb::signals
