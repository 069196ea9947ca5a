#pragma once
// Time-of-use tariffs: rates by the local clock, weekday, season and holiday. A tariff is a value;
// what it costs over a stretch of time is a core::PriceSeries. It follows the local clock, as a
// meter does: through a change to or from daylight-saving time a window that is skipped costs
// nothing and one that is passed twice counts twice. The file format and the rule where windows
// overlap: docs/prices.md. Pure but for the time zone database (zone_clock.h).

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/price_series.h"
#include "prices/zone_clock.h"

namespace ebb::prices {

inline constexpr int kMinutesOfDay = 24 * 60;

/// Both days belong to it; a season from November to February passes the turn of the year.
struct Season {
  std::chrono::month_day from, to;
};

/// A rate that holds between two times of the local day.
struct RateWindow {
  std::string name;
  ZoneClock clock;
  unsigned weekdays = 0x7f;        ///< bit 0: Sunday, bit 6: Saturday; of the day it begins on
  int begin_minute = 0;            ///< 0 to 1439
  int end_minute = kMinutesOfDay;  ///< excluded; 1 to 1440; below begin_minute: on the next day
  std::optional<Season> season;    ///< of the day it begins on
  double per_kwh = 0;
  std::optional<double> off_peak_per_kwh;  ///< outside of every window; see OffPeakRate
};

/// A day that no window begins on, or that counts as a Sunday.
struct Holiday {
  std::optional<std::chrono::year> year;  ///< absent: every year
  std::chrono::month_day day;
  std::optional<unsigned> as_weekday;  ///< 0: Sunday
};

struct Tariff {
  core::PriceIdentity identity;
  std::vector<RateWindow> windows;
  std::vector<Holiday> holidays;
  std::optional<double> flat_per_kwh;  ///< outside of every window, instead of off-peak rates
};

struct Rate {
  double per_kwh = 0;
  const RateWindow* window = nullptr;  ///< nullptr: outside of every window
};

/// The rate at a moment. Of several windows the first in the tariff's order holds. Outside of all:
/// flat_per_kwh, else the off-peak rate of the first window whose weekdays and season fit the day,
/// else of the first whose season does, else of the first. Nothing where the tariff has none.
std::optional<Rate> RateAt(const Tariff& tariff, Time time);

/// What the tariff costs over `span`; equal neighbours are one sample.
core::PriceSeries PricesOver(const Tariff& tariff, Interval span);

}  // namespace ebb::prices
