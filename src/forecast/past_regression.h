#pragma once
// The regression behind all own forecasts. For every hour of the day at which a forecast may be
// made, there is one linear map from the recent past of a series to all hours ahead. Both are
// deviations from the typical day, divided by its level. Method: docs/forecast.md. Pure.

#include <cstddef>
#include <span>
#include <vector>

#include "base/time.h"
#include "forecast/ridge.h"
#include "forecast/typical_days.h"

namespace ebb::forecast {

/// Number of hours ahead that have weights of their own.
inline constexpr std::size_t kLeads = 100;
/// Number of past hours that inputs reach back.
inline constexpr std::size_t kPastHours = 7 * kHoursPerDay;
/// Hours until the typical day is reliable.
inline constexpr std::size_t kWarmUpHours = 14 * kHoursPerDay;

/// The period of a fit: maps are fitted anew every 28 days of UTC.
std::int64_t FitPeriodOf(Time time);
Time BeginOfFitPeriod(std::int64_t period);

/// The hour of the day that lies `distance` hours after (or before) another.
std::size_t NeighbourHour(std::size_t hour_of_day, int distance);

/// Maps of neighbouring hours of the day share their rows, less with each hour between.
inline constexpr int kNeighbourHours = 3;
NormalEquations SharedSums(const std::vector<NormalEquations>& sums_by_hour, std::size_t hour);

/// Weights [hour of day][input][lead], the further inputs last; empty if too little is known.
using PastMaps = std::vector<double>;

/// Sums over rows, from which maps are solved.
class PastSums {
 public:
  /// `further`: number of inputs that do not come from the past (drivers.h).
  explicit PastSums(std::size_t further = 0);

  /// Adds the forecast at `hour` as a row. `days` must contain the kLeads hours after it.
  void AddRow(const TypicalDays& days, std::size_t hour, Time begin_of_hour,
              std::span<const double> further);
  /// Empty if some hour of the day has fewer than 21 rows.
  PastMaps Solve() const;

 private:
  std::vector<NormalEquations> sums_;  ///< sums for each hour of the day
};

/// Expected deviations of the hours after `hour` from the typical day, in the unit of `days`. They
/// come from the hours up to `hour` and from as many further inputs as the maps were fitted with.
std::vector<double> Predict(const PastMaps& maps, const TypicalDays& days, std::size_t hour,
                            Time begin_of_hour, std::span<const double> further);

/// Errors in the hours after `hour`: value less typical day and less `predicted`, divided by the
/// level.
std::vector<double> RelativeErrors(const TypicalDays& days, std::size_t hour,
                                   const std::vector<double>& predicted);

/// The value below which the given share of `values` lies. Reorders `values`.
double Quantile(std::vector<double>& values, double share);

/// P10 and P90 of errors, by hour of the day of the forecast (with three hours to either side) and
/// by lead.
struct Bands {
  std::vector<double> low, high;  ///< [hour of day][lead], relative to the level; may be empty
};
/// `errors` has rows of kLeads values; `hours` has the moments of their forecasts. Empty if there
/// are fewer than 21 days of errors.
Bands BandsOf(const std::vector<double>& errors, const std::vector<std::size_t>& hours);
/// Errors older than the latest by more than this are not used.
inline constexpr std::size_t kErrorHours = 120 * kHoursPerDay;

}  // namespace ebb::forecast
