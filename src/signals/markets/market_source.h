#pragma once
// The port of a live source of hourly values from a market or an operator: how it is asked, and
// what it says of each hour. Retries, rates and the circuit breaker are around it (patient_http.h),
// as are the cache and the time of the next question (live_market.h).

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "prices/price_source.h"

namespace ebb::signals {

/// The values of one hour, each in the unit of its column.
struct MarketHour {
  Time begin{};
  std::vector<double> values;
  Time published{};
  friend bool operator==(const MarketHour&, const MarketHour&) = default;
};

/// Hours in order of time.
using MarketHours = std::vector<MarketHour>;

/// One value per hour, which is a driver of forecasts.
struct MarketColumn {
  std::string_view name;    ///< name in files: "load_mw"
  std::string_view driver;  ///< for people: "expected load"
  bool drifts = false;      ///< value of forecast::Driver::drifts
};

/// The columns of a source: all values of each hour.
struct MarketKind {
  std::vector<MarketColumn> columns;

  /// MW of load, wind and sun.
  static MarketKind Operators() {
    return {{{"load_mw", "expected load"}, {"wind_mw", "wind"}, {"solar_mw", "sun"}}};
  }
  /// `currency` in capitals.
  static MarketKind Prices(std::string_view currency) {
    return {{{currency == "USD" ? "price_usd_per_mwh" : "price_eur_per_mwh", "prices", true}}};
  }
};

class MarketSource {
 public:
  virtual ~MarketSource() = default;
  /// "entso-e prices": a name for people, and for files, with "_" in place of the space.
  virtual const std::string& name() const = 0;
  virtual MarketKind kind() const = 0;
  /// The terms of use, told at first use.
  virtual std::string_view terms() const = 0;
  /// A text that tells apart servers and areas of one name.
  virtual const std::string& server() const = 0;
  /// The rule by which a day's values become public; it applies to values whose publication nobody
  /// saw.
  virtual const prices::Publication& publication() const = 0;
  /// The longest interval of one question.
  virtual Duration longest() const = 0;
  /// The whole hours of the interval that are known, without `published`; empty if none is known
  /// yet. Blocks.
  virtual Result<MarketHours> Ask(Interval interval) = 0;
};

}  // namespace ebb::signals
