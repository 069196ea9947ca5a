#pragma once
// What a run of a weather model gives, step by step, as hours. Models give wind and temperature for
// moments, and radiation and rain as means over the time between them, in steps of one to six
// hours. Pure.

#include <optional>
#include <vector>

#include "forecast/weather.h"

namespace ebb::signals {

struct WeatherStep {
  Time at{};
  double wind_mps = 0, temperature_k = 0;             ///< at this moment
  double shortwave_w_m2 = 0, precipitation_mm_h = 0;  ///< means from here to the next step
};

/// Steps further apart than this leave a hole between them.
inline constexpr Duration kLongestWeatherStep{std::chrono::hours{6}};

/// Steps in order; the last one lasts as long as the one before it. A value that is NaN makes the
/// hours unknown that it speaks for.
forecast::WeatherRun HourlyRun(Time issued, Time published, const std::vector<WeatherStep>& steps);

/// An hour as a mean over places; nothing where more than a quarter of them know nothing of it.
std::optional<forecast::WeatherHour> MeanOverPlaces(
    const std::vector<std::optional<forecast::WeatherHour>>& places);

/// The same of one run at each of them, hour by hour.
forecast::WeatherRun MeanOverPlaces(const std::vector<forecast::WeatherRun>& places);

}  // namespace ebb::signals
