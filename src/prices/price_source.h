#pragma once
// Where prices come from, whatever it is: a tariff, which holds for all time, or the series of a
// market, with when each of its prices was published. Pure values.

#include <variant>

#include "core/price_series.h"
#include "prices/tariff.h"

namespace ebb::prices {

/// When a market publishes the prices of a day, or an operator its forecasts: at this time of the
/// local day before.
struct Publication {
  ZoneClock clock;
  Duration time_of_day{std::chrono::hours{13}};

  /// Of the day that `time` is in.
  Time Of(Time time) const;
};

/// The same prices, each known from its publication on, unless it says itself from when.
core::PriceSeries AsPublished(const core::PriceSeries& series, const Publication& publication);

class PriceSource {
 public:
  explicit PriceSource(Tariff tariff) : prices_(std::move(tariff)) {}
  explicit PriceSource(core::PriceSeries series) : prices_(std::move(series)) {}

  const core::PriceIdentity& identity() const;
  /// Nothing for a series.
  const Tariff* tariff() const { return std::get_if<Tariff>(&prices_); }
  core::PriceSeries Over(Interval span) const;

 private:
  std::variant<Tariff, core::PriceSeries> prices_;
};

}  // namespace ebb::prices
