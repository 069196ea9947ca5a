#pragma once
// Other hourly data that help to forecast a zone, beside its own past: day-ahead prices, an
// operator's forecast of load, the intensity of a neighbour, holidays. Anything that has a value
// per hour and a moment from which that value was known can be a driver. The regression
// (past_regression.h) takes a few means of each driver as further inputs, as they stood when the
// latest hour of the zone became known, so it learns by itself how useful a driver is at each lead.
// Method: docs/forecast.md. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/signal/price_series.h"
#include "core/signal/publication.h"
#include "forecast/typical_days.h"

namespace ebb::forecast {

struct DriverHour {
  double value = 0;  ///< value in any unit: only departures from the usual value count, divided by
                     ///< their usual size
  Time known{};      ///< moment from which the value is known; may be before or after the hour
};

struct Driver {
  std::string name;  ///< name for people: "prices"
  Time begin{};      ///< begin of the first hour; a whole hour
  std::vector<std::optional<DriverHour>> hours;
  /// True if the size of departures from the usual changes over the years without a change of the
  /// grid, as for prices. False for quantities such as megawatts.
  bool drifts = false;
};

/// Hourly means of prices. A mean is known when its last part is known. An hour with a part missing
/// is unknown.
Driver DriverOf(const core::PriceSeries& prices);

/// Number of inputs from each driver.
inline constexpr std::size_t kInputsPerDriver = 17;

/// Turns several drivers into inputs of the regression.
class DriverInputs {
 public:
  /// Leaves out values that become known more than a day after their hour. `publication` is the
  /// publication of the zone's own intensity.
  DriverInputs(const std::vector<Driver>& drivers, const core::Publication& publication);

  /// Names of all drivers, for people: "prices", "load, wind and sun".
  const std::string& name() const { return name_; }
  std::size_t size() const { return kInputsPerDriver * drivers_.size(); }
  /// The inputs as they stood when the hour that begins at `hour` became known. An input is zero if
  /// its driver, or the usual value of its driver, is unknown.
  std::vector<double> At(Time hour) const;

 private:
  /// A driver with its usual value at each of its hours.
  struct Departures {
    Time begin{};
    std::vector<std::optional<DriverHour>> hours;
    TypicalDays typical;
    std::vector<double> spread;  ///< size of departures up to each hour; 0: unknown
    /// Difference between the driver and its usual value a day before `issue`, divided by the usual
    /// size of departures at that time.
    std::optional<double> Of(std::ptrdiff_t hour, std::ptrdiff_t issue, Time now) const;
  };
  static Departures DeparturesOf(const Driver& driver);

  std::string name_;
  std::vector<Departures> drivers_;
  core::Publication publication_;
};

}  // namespace ebb::forecast
