#pragma once
// What the operators of a grid expect of its load, wind and sun, by the hour, put together from
// what files and services tell: each quantity by itself, in steps of an hour or less. Pure.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forecast/drivers.h"
#include "prices/price_source.h"

namespace ebb::signals {

/// Means over an hour.
struct ExpectedHour {
  Time begin{};
  double load_mw = 0, wind_mw = 0, solar_mw = 0;
  std::optional<Time> published{};  ///< absent: nobody says

  friend bool operator==(const ExpectedHour&, const ExpectedHour&) = default;
};

/// In order of time; only hours of which all is known.
using OperatorForecast = std::vector<ExpectedHour>;

enum class Quantity { kLoad, kWind, kWindOnshore, kWindOffshore, kSolar };

struct ExpectedPower {
  Interval interval;
  double mw = 0;
  std::optional<Time> published{};  ///< absent: nobody says
};

class OperatorParts {
 public:
  /// `usual` is when values were published of which nobody says it.
  explicit OperatorParts(std::optional<prices::Publication> usual = {})
      : usual_(std::move(usual)) {}

  /// In any order. Of two values for one moment, the one that is added later counts. An Error where
  /// the interval is of more than one hour, or the power cannot be.
  Status Add(Quantity quantity, const ExpectedPower& power);
  /// Makes it one of the quantities that must be known, though nothing is known of it yet.
  void Expect(Quantity quantity) { parts_[quantity]; }

  bool empty() const { return parts_.empty(); }
  /// Wind and sun of which nothing was ever told are 0: not every grid has both. Otherwise an hour
  /// needs every quantity for its whole length. An Error where there is no load, neither wind nor
  /// sun, wind both as a sum and by itself, or no such hour. `path` is for messages.
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

/// A field of power in MW. Nothing: "-", "n/e", "N/A" or empty, not known.
Result<std::optional<double>> ReadPowerField(std::string_view text, const std::string& path,
                                             std::size_t line);
/// OperatorParts::Add, whose Error names the line.
Status AddAtLine(Quantity quantity, const ExpectedPower& power, const std::string& path,
                 std::size_t line, OperatorParts& parts);

/// Load, wind and sun, each by itself: what a grid does with more wind is not what it does with
/// less load. Hours without `published` are left out. None where there are no hours.
std::vector<forecast::Driver> DriversOf(const OperatorForecast& hours);

}  // namespace ebb::signals
