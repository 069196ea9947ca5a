#pragma once
// The port of a live source of what a market or an operator tells of the hours ahead: how it is
// asked, and what it says of each hour. Retries, rates and the circuit breaker are around it
// (patient_http.h), as are the cache and the time of the next question (live_market.h).

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "prices/price_source.h"

namespace ebb::signals {

/// Of one hour, each in the unit of its column.
struct MarketHour {
  Time begin{};
  std::vector<double> values;
  Time published{};
  friend bool operator==(const MarketHour&, const MarketHour&) = default;
};

/// In order of time.
using MarketHours = std::vector<MarketHour>;

/// One value of each hour, which is a driver of forecasts.
struct MarketColumn {
  std::string_view name;    ///< as it is kept: "load_mw"
  std::string_view driver;  ///< for people: "expected load"
  bool drifts = false;      ///< forecast::Driver::drifts
};

/// All values of each hour.
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
  /// "entso-e prices": for people, and for file names with "_" in place of the space.
  virtual const std::string& name() const = 0;
  virtual MarketKind kind() const = 0;
  /// Under which terms it may be used, told at first use.
  virtual std::string_view terms() const = 0;
  /// Tells servers and areas of one name apart.
  virtual const std::string& server() const = 0;
  /// When the values of a day become public, for those whose moment nobody saw.
  virtual const prices::Publication& publication() const = 0;
  /// The longest interval of one question.
  virtual Duration longest() const = 0;
  /// The whole hours of the interval that are known, without `published`; empty where none is known
  /// yet. Blocks.
  virtual Result<MarketHours> Ask(Interval interval) = 0;
};

}  // namespace ebb::signals
