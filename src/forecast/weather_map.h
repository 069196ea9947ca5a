#pragma once
// What weather does to intensity: a linear map, per hour of the day, from how the weather differs
// from the usual to how far intensity lies from its typical day (divided by its level). Fitted on
// what the latest run before each hour said of it. Recipe and figures: docs/forecast.md. Pure.

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

/// What of the weather is looked at; heat and cold beyond what people feel comfortable in have
/// terms of their own.
inline constexpr std::size_t kWeatherTerms = 7;
using WeatherTerms = std::array<double, kWeatherTerms>;
WeatherTerms TermsOf(const WeatherHour& weather);

/// For people: terms in groups.
enum class WeatherDriver { kWind, kSun, kTemperature, kRain };
inline constexpr std::size_t kWeatherDrivers = 4;
/// "wind", "sun", "temperature", "rain".
std::string_view Name(WeatherDriver driver);
using DriverShares = std::array<double, kWeatherDrivers>;
/// The unit of how far a driver lies from what is usual: "m/s", "W/m²", "K", "" for rain.
std::string_view UnitOf(WeatherDriver driver);
/// Of each driver, in its unit, from terms less the usual ones. Rain: only the sign means
/// something.
DriverShares DeparturesOf(const WeatherTerms& deviation);

/// What is known of the weather in an hour.
enum class Coverage : std::uint8_t {
  kNone,        ///< nothing, and its deviations are 0
  kRemembered,  ///< that it will be like the last hours that a run covers, the less the later
  kRun,         ///< what a run says
};

/// Terms less what is usual at that hour of the day, hour by hour from `first` on.
struct WeatherDeviations {
  std::size_t first = 0;
  std::vector<WeatherTerms> hours;
  std::vector<Coverage> coverage;
  Coverage CoverageOf(std::size_t hour) const { return coverage[hour - first]; }
  const WeatherTerms& Of(std::size_t hour) const { return hours[hour - first]; }
  std::size_t end() const { return first + hours.size(); }
};

/// How long after an hour the weather in it is settled: runs published later do not change it.
inline constexpr std::size_t kSettledHours = 36;
/// Each hour is looked at with those around it: 11 before to 12 after, and the same a day earlier.
inline constexpr std::size_t kHoursBefore = 11, kHoursAfter = 12;
inline constexpr std::size_t kReachBack = kHoursBefore + kHoursPerDay;

/// The settled weather of the hours of a grid.
class WeatherPast {
 public:
  /// Takes in the hours before `end`, each as it was known kSettledHours after it.
  void Extend(const WeatherArchive& archive, const HourlyGrid& grid, std::size_t end);
  const WeatherDeviations& deviations() const { return deviations_; }
  /// How many of the hours before `hour` no run covered.
  std::size_t UnknownBefore(std::size_t hour) const { return unknown_before_[hour]; }
  /// What the terms usually are at `hour`, as it stood when the hours before `end` were settled; a
  /// day of them at least.
  WeatherTerms Usual(std::size_t hour, std::size_t end) const;
  /// How far the terms of the hours before `end` usually lie from their mean, over day and year.
  WeatherTerms Spread(std::size_t end) const;

 private:
  WeatherDeviations deviations_;
  std::vector<std::size_t> unknown_before_{0};
  std::array<TypicalDays, kWeatherTerms> terms_;
};

/// The deviations of the hours `first` to `end` as known at `now`: the settled ones before
/// `settled`, then what the newest runs say, then a fading memory of the last hours that they
/// cover.
WeatherDeviations DeviationsAt(const WeatherArchive& archive, const HourlyGrid& grid,
                               const WeatherPast& past, std::size_t settled, std::size_t first,
                               std::size_t end, Time now);

class WeatherMap {
 public:
  /// From the hours before `end`, all of them settled; nothing where there are too few.
  static std::optional<WeatherMap> Fit(const HourlyGrid& grid, const WeatherPast& past,
                                       std::size_t end);

  /// What the weather adds to the intensity of the hours `first` to `end`, divided by the level, by
  /// driver. The deviations reach kReachBack back and kHoursAfter beyond, where there are hours.
  std::vector<DriverShares> Effects(const WeatherDeviations& deviations, std::size_t first,
                                    std::size_t end) const;

 private:
  WeatherTerms scale_{};         ///< what counts as one of each term
  std::vector<double> weights_;  ///< [hour of day][input]
};

}  // namespace ebb::forecast
