#pragma once
// The hourly model behind the forecast from a zone's own past: the regression of past_regression.h.
// It is fitted anew at fixed moments (every 28 days of UTC) from everything before, and remembers
// its fits. Bands are quantiles of the errors that earlier maps made on hours that they had not
// seen. Method and figures: docs/forecast.md. Pure.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "forecast/drivers.h"
#include "forecast/hourly_grid.h"
#include "forecast/past_regression.h"

namespace ebb::forecast {

/// The hours after hour `issue`: element i is the hour issue + 1 + i, in gCO2eq/kWh.
struct HourlyPath {
  std::vector<double> typical;    ///< typical day
  std::vector<double> deviation;  ///< expected difference from the typical day
  std::vector<double> low, high;  ///< P10 and P90 less the expectation; empty if not yet known
};

/// The model needs this much history for a fit.
inline constexpr std::size_t kLeastHours = 70 * kHoursPerDay;

class RidgeModel {
 public:
  RidgeModel() = default;
  /// Uses further inputs beside the past; nullptr: none.
  explicit RidgeModel(std::shared_ptr<const DriverInputs> drivers);

  /// Takes in the known samples. A revision after the latest fit only replaces values; an earlier
  /// one makes the model forget everything. Returns how many of the first hours stayed as they were
  /// (0 if it forgot).
  std::size_t Learn(std::span<const core::Sample> known);
  const HourlyGrid& grid() const { return grid_; }

  /// The expectation when hour `issue` had just been published, from hours up to it; nullopt if the
  /// past is too short or has a hole.
  std::optional<HourlyPath> Expect(std::size_t issue);

 private:
  struct Fit {
    PastMaps maps;
    Bands bands;
  };

  /// The drivers' inputs when hour `issue` became known.
  std::vector<double> DriversAt(std::size_t issue) const;
  std::size_t FitIndexOf(std::size_t hour) const;
  const Fit& FitFor(std::size_t hour);
  void AddFit();
  void AddRow(std::size_t issue);

  std::shared_ptr<const DriverInputs> drivers_;
  HourlyGrid grid_;
  std::vector<Fit> fits_;  ///< fits by 28-day period since the first
  PastSums sums_;
  std::size_t next_row_ = 0;
  std::size_t fitted_before_ = 0;  ///< no fit has used this hour or a later one
  std::vector<double> errors_;     ///< errors [row][lead], the latest rows
  std::vector<std::size_t> error_issues_;
};

}  // namespace ebb::forecast
