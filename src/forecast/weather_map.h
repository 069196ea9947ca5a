#pragma once
// The effect of weather on intensity: a linear map, per hour of the day, from the weather's
// departure from the usual to the intensity's deviation from its typical day (divided by its
// level). It is fitted on the forecasts of the latest run before each hour. Recipe and figures:
// docs/forecast.md. Pure.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "forecast/hourly_grid.h"
#include "forecast/past_regression.h"
#include "forecast/weather.h"

namespace ebb::forecast {

/// Terms of the weather. Heat and cold beyond the range that people find comfortable have terms of
/// their own.
inline constexpr std::size_t kWeatherTerms = 7;
using WeatherTerms = std::array<double, kWeatherTerms>;
WeatherTerms TermsOf(const WeatherHour& weather);

/// Groups of terms, for people.
enum class WeatherDriver { kWind, kSun, kTemperature, kRain };
inline constexpr std::size_t kWeatherDrivers = 4;
/// Name of the driver: "wind", "sun", "temperature", "rain".
std::string_view Name(WeatherDriver driver);
using DriverShares = std::array<double, kWeatherDrivers>;
/// Unit of a driver's departure from the usual: "m/s", "W/m²", "K", "" for rain.
std::string_view UnitOf(WeatherDriver driver);
/// Departure of each driver in its unit, from terms less the usual ones. For rain, only the sign
/// has a meaning.
DriverShares DeparturesOf(const WeatherTerms& deviation);

/// Knowledge of the weather in an hour.
enum class Coverage : std::uint8_t {
  kNone,        ///< unknown; the deviations are 0
  kRemembered,  ///< like the last hours that a run covers, fading with time
  kRun,         ///< from a run
};

/// Terms less their usual values at that hour of the day, hour by hour from `first` on.
struct WeatherDeviations {
  std::size_t first = 0;
  std::vector<WeatherTerms> hours;
  std::vector<Coverage> coverage;
  Coverage CoverageOf(std::size_t hour) const { return coverage[hour - first]; }
  const WeatherTerms& Of(std::size_t hour) const { return hours[hour - first]; }
  std::size_t end() const { return first + hours.size(); }
};

/// Hours after which the weather of an hour is settled: later runs do not change it.
inline constexpr std::size_t kSettledHours = 36;
/// The map looks at the hours around each hour: 11 before to 12 after, and the same a day earlier.
inline constexpr std::size_t kHoursBefore = 11, kHoursAfter = 12;
inline constexpr std::size_t kReachBack = kHoursBefore + kHoursPerDay;

class WeatherPast {
 public:
  /// Takes in the hours before `end`, each as it was known kSettledHours after it.
  void Extend(const WeatherArchive& archive, const HourlyGrid& grid, std::size_t end);
  const WeatherDeviations& deviations() const { return deviations_; }
  /// Number of hours before `hour` that no run covered.
  std::size_t UnknownBefore(std::size_t hour) const { return unknown_before_[hour]; }
  /// The usual terms at `hour`, as they stood when the hours before `end` were settled. Requires at
  /// least a day of hours.
  WeatherTerms Usual(std::size_t hour, std::size_t end) const;
  /// The usual distance of the terms of the hours before `end` from their mean, over day and year.
  WeatherTerms Spread(std::size_t end) const;

 private:
  WeatherDeviations deviations_;
  std::vector<std::size_t> unknown_before_{0};
  std::array<TypicalDays, kWeatherTerms> terms_;
};

/// The deviations of the hours `first` to `end` as known at `now`: the settled ones before
/// `settled`, then those of the newest runs, then a fading memory of the last hours that the runs
/// cover.
WeatherDeviations DeviationsAt(const WeatherArchive& archive, const HourlyGrid& grid,
                               const WeatherPast& past, std::size_t settled, std::size_t first,
                               std::size_t end, Time now);

class WeatherMap {
 public:
  /// Fits a map on the hours before `end`, which must all be settled; nullopt if there are too few.
  static std::optional<WeatherMap> Fit(const HourlyGrid& grid, const WeatherPast& past,
                                       std::size_t end);

  /// The weather's effect on the intensity of the hours `first` to `end`, divided by the level, by
  /// driver. The deviations must reach kReachBack back and kHoursAfter beyond, as far as there are
  /// hours.
  std::vector<DriverShares> Effects(const WeatherDeviations& deviations, std::size_t first,
                                    std::size_t end) const;

 private:
  WeatherTerms scale_{};         ///< value of each term that counts as one
  std::vector<double> weights_;  ///< weights [hour of day][input]
};

}  // namespace ebb::forecast
