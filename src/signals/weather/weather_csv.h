#pragma once
// Archived runs of a weather model from a CSV file: a row per run and lead time, means over a zone.
// Format: docs/weather.md. Errors name file and line; nothing is repaired. Pure but for
// LoadWeather, which reads one file.

#include <string>
#include <string_view>

#include "forecast/weather.h"
#include "signals/weather/weather_options.h"

namespace ebb::signals {

Result<forecast::WeatherArchive> ParseWeather(std::string_view text, const std::string& path,
                                              Duration publication_lag = kUsualWeatherLag);

/// The runs as a file with means over hours; reading it gives the same runs.
std::string WeatherText(const forecast::WeatherArchive& archive);

/// Reads a plain or gzip file.
Result<forecast::WeatherArchive> LoadWeather(const std::string& path,
                                             Duration publication_lag = kUsualWeatherLag);

}  // namespace ebb::signals
