#pragma once
// Operators' forecasts of load, wind and sun by the hour, put together from files and services:
// each quantity by itself, in steps of an hour or less. Pure.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forecast/drivers.h"
#include "prices/price_source.h"

namespace ebb::signals {

/// Mean power over an hour.
struct ExpectedHour {
  Time begin{};
  double load_mw = 0, wind_mw = 0, solar_mw = 0;
  std::optional<Time> published{};  ///< absent: unknown

  friend bool operator==(const ExpectedHour&, const ExpectedHour&) = default;
};

/// Hours in order of time; only those with all quantities known.
using OperatorForecast = std::vector<ExpectedHour>;

enum class Quantity { kLoad, kWind, kWindOnshore, kWindOffshore, kSolar };

struct ExpectedPower {
  Interval interval;
  double mw = 0;
  std::optional<Time> published{};  ///< absent: unknown
};

class OperatorParts {
 public:
  /// `usual` is the publication of values that state none.
  explicit OperatorParts(std::optional<prices::Publication> usual = {})
      : usual_(std::move(usual)) {}

  /// Values may come in any order. If two are for one moment, the one that is added later counts.
  /// Errors: an interval longer than an hour, an impossible power.
  Status Add(Quantity quantity, const ExpectedPower& power);
  /// Makes this quantity one that must be known, even if no value of it is added.
  void Expect(Quantity quantity) { parts_[quantity]; }

  bool empty() const { return parts_.empty(); }
  /// The hours for which every quantity is known throughout. Wind or sun without any value is 0:
  /// not every grid has both. Errors: no load, neither wind nor sun, wind both as a sum and in
  /// parts, no complete hour. `path` is for messages.
  Result<OperatorForecast> ByHour(const std::string& path) const;

 private:
  struct Part {
    Time end{};
    double mw = 0;
    std::optional<Time> published;
  };
  std::optional<prices::Publication> usual_;
  std::map<Quantity, std::map<Time, Part>> parts_;
};

/// Reads a field of power in MW. nullopt for "-", "n/e", "N/A" or an empty field: unknown.
Result<std::optional<double>> ReadPowerField(std::string_view text, const std::string& path,
                                             std::size_t line);
/// Calls OperatorParts::Add; an Error names the line.
Status AddAtLine(Quantity quantity, const ExpectedPower& power, const std::string& path,
                 std::size_t line, OperatorParts& parts);

/// Drivers for load, wind and sun separately, because more wind and less load affect a grid in
/// different ways. Hours without `published` are left out. Empty if there are no hours.
std::vector<forecast::Driver> DriversOf(const OperatorForecast& hours);

}  // namespace ebb::signals
