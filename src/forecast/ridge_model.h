#pragma once
// The hourly model behind the ridge forecast. For every hour of the day at which a forecast may be
// made there is one linear map from the recent past to all hours ahead, both taken as deviations
// from the typical day and divided by its level. Maps are fitted anew at fixed moments (every 28
// days of UTC) from everything before, and remembered; bands are quantiles of the errors that
// earlier maps made on hours they had not seen. Method and figures: docs/forecast.md. Pure.

#include <optional>
#include <span>
#include <vector>

#include "forecast/hourly_grid.h"
#include "forecast/ridge.h"

namespace ebb::forecast {

/// How many hours ahead have weights of their own.
inline constexpr std::size_t kLeads = 100;

/// What follows hour `issue`: element i is the hour issue + 1 + i, in gCO2eq/kWh.
struct HourlyPath {
  std::vector<double> typical;    ///< the typical day
  std::vector<double> deviation;  ///< expected difference from it
  std::vector<double> low, high;  ///< P10 and P90 less the expectation; empty when not yet known
};

class RidgeModel {
 public:
  RidgeModel();

  /// Takes in what is known; forgets all if it contradicts what it had seen.
  void Learn(std::span<const core::Sample> known);
  const HourlyGrid& grid() const { return grid_; }

  /// What was to be expected when hour `issue` had just been published, from hours up to it;
  /// nothing where the past is too short or has a hole.
  std::optional<HourlyPath> Expect(std::size_t issue);

 private:
  struct Fit {
    std::vector<double> weights;    ///< [hour of day][input][lead]; empty when too little is known
    std::vector<double> low, high;  ///< [hour of day][lead], relative to the level
  };

  std::size_t FitIndexOf(std::size_t hour) const;
  const Fit& FitFor(std::size_t hour);
  void AddFit();
  void AddRow(std::size_t issue);
  Fit Solve() const;
  void FindBands(Fit& fit) const;
  std::vector<double> Inputs(std::size_t issue) const;
  std::vector<double> Predict(const Fit& fit, std::size_t issue) const;
  double Level(std::size_t issue) const;
  double TypicalAhead(std::size_t issue, std::size_t lead) const;

  HourlyGrid grid_;
  std::vector<Fit> fits_;              ///< by 28-day period since the first
  std::vector<NormalEquations> sums_;  ///< by hour of the day
  std::size_t next_row_ = 0;
  std::vector<double> errors_;  ///< [row][lead], the latest rows
  std::vector<std::size_t> error_issues_;
};

}  // namespace ebb::forecast
