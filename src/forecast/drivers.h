#pragma once
// What else is known of a zone's hours beside its own past: day-ahead prices, an operator's
// forecast of load, the intensity of a neighbour, holidays. Anything that has a value per hour and
// a moment from which that value was known can be a driver. The regression (past_regression.h)
// takes a few means of each as further inputs, as they stood when the latest hour of the zone
// became known, so it learns for itself what a driver is good for at each lead. Method:
// docs/forecast.md. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/price_series.h"
#include "core/publication.h"
#include "forecast/typical_days.h"

namespace ebb::forecast {

struct DriverHour {
  double value = 0;  ///< in any unit: only departures from the usual count, in their usual spread
  Time known{};      ///< from then on; may lie before the hour or after it
};

struct Driver {
  std::string name;  ///< for people: "prices"
  Time begin{};      ///< of the first hour; a whole hour
  std::vector<std::optional<DriverHour>> hours;
  /// How far it lies from the usual grows and shrinks over the years without a change of the grid,
  /// as prices do. A megawatt stays a megawatt.
  bool drifts = false;
};

/// Hourly means of prices, each known when its last part is. Hours without all of it are unknown.
Driver DriverOf(const core::PriceSeries& prices);

/// Of each driver.
inline constexpr std::size_t kInputsPerDriver = 17;

/// Several drivers as inputs.
class DriverInputs {
 public:
  /// A value that becomes known later than a day after its hour is left out. `publication` is that
  /// of the zone's own intensity.
  DriverInputs(const std::vector<Driver>& drivers, const core::Publication& publication);

  /// "prices", "load, wind and sun": of all, for people.
  const std::string& name() const { return name_; }
  std::size_t size() const { return kInputsPerDriver * drivers_.size(); }
  /// As they stood when the hour that begins then became known; zeros where nothing was known, or
  /// not yet what is usual.
  std::vector<double> At(Time hour) const;

 private:
  /// A driver with what was usual at each of its hours.
  struct Departures {
    Time begin{};
    std::vector<std::optional<DriverHour>> hours;
    TypicalDays typical;
    std::vector<double> spread;  ///< by hour: of the departures up to it; 0: not known yet
    /// How far the driver lies from what was usual a day before `issue`, by its spread then.
    std::optional<double> Of(std::ptrdiff_t hour, std::ptrdiff_t issue, Time now) const;
  };
  static Departures DeparturesOf(const Driver& driver);

  std::string name_;
  std::vector<Departures> drivers_;
  core::Publication publication_;
};

}  // namespace ebb::forecast
