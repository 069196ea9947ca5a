#pragma once
// The times of exports of the ENTSO-E transparency platform: intervals of a local clock, as in
// "25.10.2020 02:00 - 25.10.2020 03:00" below "MTU (CET/CEST)". Once a year an hour occurs twice,
// and once an hour is skipped. Pure but for the time zone database.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "prices/zone_clock.h"

namespace ebb::signals {

class MarketTimes {
 public:
  /// The clock that a heading names; `heading` is as NormalisedName writes it: "mtu_cet_cest",
  /// "time_utc". nullopt: it is not such a heading. An Error if it names an unknown clock.
  static Result<std::optional<MarketTimes>> Named(const std::string& heading,
                                                  const std::string& path);

  /// Whether Read understands the field: below "Time (UTC)", some files have single times instead.
  bool Reads(std::string_view text) const {
    return is_unit_ || text.find(" - ") != std::string_view::npos;
  }

  /// Reads an interval. Rows must come in their order: if an hour occurs twice, the second is meant
  /// once the first has been read. nullopt: an hour that the clock skips.
  Result<std::optional<Interval>> Read(std::string_view text, const std::string& path,
                                       std::size_t line);

 private:
  MarketTimes(prices::ZoneClock clock, bool is_unit)
      : clock_(std::move(clock)), is_unit_(is_unit) {}
  std::optional<Time> UtcOf(prices::LocalTime local, std::optional<bool> is_summer) const;

  prices::ZoneClock clock_;
  bool is_unit_;  ///< a market time unit, so always an interval
  std::optional<Time> before_;
};

}  // namespace ebb::signals
