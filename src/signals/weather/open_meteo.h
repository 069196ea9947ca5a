#pragma once
// Open-Meteo (https://open-meteo.com) as a source of weather: its forecast API for the next five
// days, and its Previous Runs API for the forecasts of the last 92 days, made one to four days
// ahead. No key for non-commercial use; a key, or another address, selects another server. Hours
// are means: of the values at both ends for wind and temperature, as given for radiation and rain.

#include "signals/weather/weather_source.h"

namespace ebb::signals {

inline constexpr const char* kOpenMeteoUrl = "https://api.open-meteo.com";
inline constexpr const char* kOpenMeteoPreviousRunsUrl = "https://previous-runs-api.open-meteo.com";
inline constexpr const char* kOpenMeteoCustomerUrl = "https://customer-api.open-meteo.com";
inline constexpr const char* kOpenMeteoCustomerPreviousRunsUrl =
    "https://customer-previous-runs-api.open-meteo.com";
inline constexpr const char* kOpenMeteoKeyVariable = "OPEN_METEO_API_KEY";

struct OpenMeteoOptions {
  std::string base_url = kOpenMeteoUrl;
  std::string previous_runs_url = kOpenMeteoPreviousRunsUrl;
  std::string key;  ///< never shown
};

std::unique_ptr<WeatherSource> MakeOpenMeteo(OpenMeteoOptions options, HttpGetFunction http_get);

/// The mean over the points of an answer, hour by hour from `begin` on; `suffix` ends the names of
/// the variables ("_previous_day1"). An hour is unknown if more than a quarter of the points have
/// no value for it. Pure.
struct HourlyWeather {
  Time begin{};
  std::vector<std::optional<forecast::WeatherHour>> hours;
};
Result<HourlyWeather> ParseOpenMeteo(std::string_view body, std::size_t first_point,
                                     std::size_t points, std::size_t all_points,
                                     const std::string& suffix, const std::string& where);

}  // namespace ebb::signals
