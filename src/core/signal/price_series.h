#pragma once
// The price of electricity as a step function of time: a time-of-use tariff or the prices of a
// market, in one currency per kWh. Prices may be negative. An unknown price is absent: never 0,
// never carried over from the neighbour. Each price says since when it was known, so that a
// replayed decision cannot see prices that had not been published. Values only; no clock.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::core {

struct PriceSample {
  Interval interval;
  double per_kwh = 0;  ///< price in the series' currency
  Time known_from = Time::min();
  friend bool operator==(const PriceSample&, const PriceSample&) = default;
};

struct PriceIdentity {
  std::string currency;  ///< "EUR"; empty: relative rates, which cannot give a cost
  std::string source;    ///< for people: "time-of-use california-pge"
  friend bool operator==(const PriceIdentity&, const PriceIdentity&) = default;
};

/// Mean over a window, weighted by time, with the share of the window that had a price.
struct PriceMean {
  double per_kwh = 0;
  double coverage = 0;  ///< share of the window with a price, in (0, 1]
};

/// Ordered, non-overlapping samples; gaps are allowed and stay gaps.
class PriceSeries {
 public:
  PriceSeries() = default;
  /// Refuses empty intervals, overlap, disorder, and prices that are not finite.
  static Result<PriceSeries> Create(PriceIdentity identity, std::vector<PriceSample> samples);

  const PriceIdentity& identity() const { return identity_; }
  const std::vector<PriceSample>& samples() const { return samples_; }
  bool empty() const { return samples_.empty(); }

  /// The sample whose interval contains `time`, or nullptr in a gap. O(log n).
  const PriceSample* At(Time time) const;
  /// The first sample that begins after `time`, or nullptr.
  const PriceSample* NextAfter(Time time) const;
  /// Time-weighted mean over the known part of the window; nullopt if no part is known. O(log n)
  /// beside the samples inside the window.
  std::optional<PriceMean> Mean(Interval window) const;
  /// The samples that overlap `window`, cut to it.
  PriceSeries Slice(Interval window) const;
  /// The samples that overlap `window` and were known at `now`, cut to it.
  PriceSeries KnownAt(Time now, Interval window) const;

 private:
  PriceIdentity identity_;
  std::vector<PriceSample> samples_;
};

/// The price as text, with four significant digits: "0.285 EUR/kWh"; "0.5" for a ratio, which has
/// no currency.
std::string DescribePrice(double per_kwh, const PriceIdentity& identity);

}  // namespace ebb::core
