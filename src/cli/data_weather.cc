#include "cli/data_weather.h"

#include "app/options/flag_values.h"
#include "base/text.h"
#include "report/json_parts.h"
#include "signals/make_weather.h"

namespace ebb::cli {
namespace {

// Means over all known hours.
struct WeatherMeans {
  std::size_t known = 0, unknown = 0;
  forecast::WeatherHour mean;
};

WeatherMeans MeansOf(const forecast::WeatherArchive& archive) {
  WeatherMeans means;
  forecast::WeatherHour& sum = means.mean;
  for (const forecast::WeatherRun& run : archive.runs())
    for (const auto& hour : run.hours) {
      ++(hour ? means.known : means.unknown);
      if (!hour) continue;
      sum.wind_mps += hour->wind_mps;
      sum.temperature_k += hour->temperature_k;
      sum.shortwave_w_m2 += hour->shortwave_w_m2;
      sum.precipitation_mm_h += hour->precipitation_mm_h;
    }
  const double count = static_cast<double>(means.known);
  sum = {sum.wind_mps / count, sum.temperature_k / count, sum.shortwave_w_m2 / count,
         sum.precipitation_mm_h / count};
  return means;
}

std::string Counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

Result<forecast::WeatherArchive> ImportWeather(const WeatherImport& request) {
  signals::WeatherOptions weather;
  weather.path = request.folder;
  weather.points = request.points;
  if (!weather.IsFolder())
    return Fail({ExitCode::kUsage, "weather needs a folder of files of GFS", request.folder,
                 "ebb data weather FOLDER --zone DE"});
  if (request.zone.empty())
    return Fail({ExitCode::kUsage, "weather needs the zone that it is for", "", "give --zone DE"});
  if (!request.lag.empty()) {
    EBB_ASSIGN_OR_RETURN(weather.publication_lag, app::DurationOf("weather-lag", request.lag));
  }
  EBB_ASSIGN_OR_RETURN(const auto archive, signals::ArchivedWeather(weather, request.zone));
  return *archive;
}

std::string WeatherFileName(const forecast::WeatherArchive& archive, const std::string& zone) {
  const auto day = [](const forecast::WeatherRun& run) {
    return FormatTime(run.issued).substr(0, std::string_view("2021-03-01").size());
  };
  return zone + "_gfs_" + day(archive.runs().front()) + "_" + day(archive.runs().back()) +
         ".csv.gz";
}

std::string WeatherImportText(const forecast::WeatherArchive& archive, const std::string& zone) {
  const WeatherMeans means = MeansOf(archive);
  return zone + ": " + Counted(archive.runs().size(), "run") + " from " +
         FormatTime(archive.runs().front().issued) + " to " +
         FormatTime(archive.runs().back().issued) + ", " + Counted(means.known, "hour") +
         " of weather, " + Counted(means.unknown, "hour") + " unknown\nmeans: wind " +
         FormatFixed(means.mean.wind_mps, 1) + " m/s, temperature " +
         FormatFixed(means.mean.temperature_k, 1) + " K, short wave " +
         FormatFixed(means.mean.shortwave_w_m2, 0) + " W/m², precipitation " +
         FormatFixed(means.mean.precipitation_mm_h, 3) + " mm/h\n";
}

std::string WeatherImportJson(const forecast::WeatherArchive& archive, const std::string& zone,
                              const std::string& path, bool written) {
  const WeatherMeans means = MeansOf(archive);
  const nlohmann::ordered_json json{{"schema", "ebb.data-weather/1"},
                                    {"file", path},
                                    {"written", written},
                                    {"zone", zone},
                                    {"runs", archive.runs().size()},
                                    {"first_issued", FormatTime(archive.runs().front().issued)},
                                    {"last_issued", FormatTime(archive.runs().back().issued)},
                                    {"hours", means.known},
                                    {"unknown_hours", means.unknown},
                                    {"mean_wind_mps", means.mean.wind_mps},
                                    {"mean_temperature_k", means.mean.temperature_k},
                                    {"mean_shortwave_w_m2", means.mean.shortwave_w_m2},
                                    {"mean_precipitation_mm_h", means.mean.precipitation_mm_h}};
  return report::Document(json);
}

}  // namespace ebb::cli
