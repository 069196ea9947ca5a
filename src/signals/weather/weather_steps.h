#pragma once
// Turns the steps of a weather model's run into hours. Models give wind and temperature for
// moments, and radiation and rain as means over the time between them, in steps of one to six
// hours. Pure.

#include <optional>
#include <vector>

#include "forecast/weather.h"

namespace ebb::signals {

struct WeatherStep {
  Time at{};
  double wind_mps = 0, temperature_k = 0;             ///< at this moment
  double shortwave_w_m2 = 0, precipitation_mm_h = 0;  ///< means until the next step
};

/// The longest step; steps further apart leave a hole between them.
inline constexpr Duration kLongestWeatherStep{std::chrono::hours{6}};

/// `steps` are in order; the last one lasts as long as the one before it. A value of NaN makes the
/// hours unknown that depend on it.
forecast::WeatherRun HourlyRun(Time issued, Time published, const std::vector<WeatherStep>& steps);

/// The mean of an hour over places; nullopt if it is unknown at more than a quarter of them.
std::optional<forecast::WeatherHour> MeanOverPlaces(
    const std::vector<std::optional<forecast::WeatherHour>>& places);

/// The mean of one run over places, hour by hour.
forecast::WeatherRun MeanOverPlaces(const std::vector<forecast::WeatherRun>& places);

}  // namespace ebb::signals
