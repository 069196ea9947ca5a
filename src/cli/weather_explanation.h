#pragma once
// Explains to people the effect of the weather on a forecast, by driver and by day.

#include <string>
#include <vector>

#include "cli/local_times.h"
#include "forecast/weather_forecaster.h"

namespace ebb::cli {

/// Lines that each end with a line break. If no weather is known, a line says so.
std::string WeatherExplanationText(const std::vector<forecast::HourOfWeather>& hours,
                                   const LocalTimes& times);

}  // namespace ebb::cli
