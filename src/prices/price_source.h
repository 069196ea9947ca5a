#pragma once
// The source of electricity prices behind one interface: a tariff, which holds for all time, or the
// series of a market, in which each price has the moment of its publication. Pure values.

#include <variant>

#include "core/signal/price_series.h"
#include "prices/tariff.h"

namespace ebb::prices {

/// When a market publishes the prices of a day, or an operator its forecasts: at this time of the
/// local day before.
struct Publication {
  ZoneClock clock;
  Duration time_of_day{std::chrono::hours{13}};

  /// When the prices of the day that contains `time` are published.
  Time Of(Time time) const;
};

/// The same prices, each known from its publication on. A sample that states its own `known_from`
/// keeps it.
core::PriceSeries AsPublished(const core::PriceSeries& series, const Publication& publication);

class PriceSource {
 public:
  explicit PriceSource(Tariff tariff) : prices_(std::move(tariff)) {}
  explicit PriceSource(core::PriceSeries series) : prices_(std::move(series)) {}

  const core::PriceIdentity& identity() const;
  /// nullptr if the source is a series.
  const Tariff* tariff() const { return std::get_if<Tariff>(&prices_); }
  core::PriceSeries Over(Interval span) const;

 private:
  std::variant<Tariff, core::PriceSeries> prices_;
};

}  // namespace ebb::prices
