#pragma once
// ebb data weather: decodes a folder of GFS files once, into one file of archived runs at the
// places of a zone; and describes that file for people and as JSON.

#include <string>

#include "base/result.h"
#include "forecast/weather.h"

namespace ebb::cli {

struct WeatherImport {
  std::string folder, zone;
  std::string points;  ///< empty: those of the zone
  std::string lag;     ///< publication lag as a duration; empty: the usual one
};

Result<forecast::WeatherArchive> ImportWeather(const WeatherImport& request);

/// "DE_gfs_2021-03-01_2021-03-08.csv.gz".
std::string WeatherFileName(const forecast::WeatherArchive& archive, const std::string& zone);

std::string WeatherImportText(const forecast::WeatherArchive& archive, const std::string& zone);
/// JSON in the schema ebb.data-weather/1.
std::string WeatherImportJson(const forecast::WeatherArchive& archive, const std::string& zone,
                              const std::string& path, bool written);

}  // namespace ebb::cli
