#pragma once
// The regression behind all own forecasts: for every hour of the day at which a forecast may be
// made there is one linear map from the recent past of a series to all hours ahead, both taken as
// deviations from the typical day and divided by its level. Method: docs/forecast.md. Pure.

#include <cstddef>
#include <span>
#include <vector>

#include "base/time.h"
#include "forecast/ridge.h"
#include "forecast/typical_days.h"

namespace ebb::forecast {

/// How many hours ahead have weights of their own.
inline constexpr std::size_t kLeads = 100;
/// The inputs reach back this far.
inline constexpr std::size_t kPastHours = 7 * kHoursPerDay;
/// Until the typical day is typical.
inline constexpr std::size_t kWarmUpHours = 14 * kHoursPerDay;

/// Maps are fitted anew with every period: 28 days of UTC.
std::int64_t FitPeriodOf(Time time);
Time BeginOfFitPeriod(std::int64_t period);

/// The hour of the day that lies `distance` hours after (or before) another.
std::size_t NeighbourHour(std::size_t hour_of_day, int distance);

/// Maps of neighbouring hours of the day share their rows, less with each hour between.
inline constexpr int kNeighbourHours = 3;
NormalEquations SharedSums(const std::vector<NormalEquations>& sums_by_hour, std::size_t hour);

/// [hour of day][input][lead]; empty when too little is known. The further inputs come last.
using PastMaps = std::vector<double>;

/// The sums that maps are made of.
class PastSums {
 public:
  /// `further`: how many inputs come from elsewhere than the past (drivers.h).
  explicit PastSums(std::size_t further = 0);

  /// `hour` is the moment of a forecast; the kLeads hours after it are in `days`.
  void AddRow(const TypicalDays& days, std::size_t hour, Time begin_of_hour,
              std::span<const double> further);
  /// Empty where there are fewer than 21 rows of an hour of the day.
  PastMaps Solve() const;

 private:
  std::vector<NormalEquations> sums_;  ///< by hour of the day
};

/// How the hours after `hour` will differ from the typical day, from those up to it and as many
/// further inputs as the maps were fitted with; in the unit of `days`.
std::vector<double> Predict(const PastMaps& maps, const TypicalDays& days, std::size_t hour,
                            Time begin_of_hour, std::span<const double> further);

/// What the hours after `hour` were, less the typical day and `predicted`, divided by the level.
std::vector<double> RelativeErrors(const TypicalDays& days, std::size_t hour,
                                   const std::vector<double>& predicted);

/// The value below which the given share of `values` lies; reorders them.
double Quantile(std::vector<double>& values, double share);

/// P10 and P90 of errors by hour of the day of the forecast (three hours to either side) and lead.
struct Bands {
  std::vector<double> low, high;  ///< [hour of day][lead], relative to the level; may be empty
};
/// `errors` are rows of kLeads values, `hours` the moments of their forecasts. Empty where there
/// are fewer than 21 days of them.
Bands BandsOf(const std::vector<double>& errors, const std::vector<std::size_t>& hours);
/// Errors this much older than the latest are not used.
inline constexpr std::size_t kErrorHours = 120 * kHoursPerDay;

}  // namespace ebb::forecast
