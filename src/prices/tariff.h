#pragma once
// Time-of-use tariffs: rates by the local clock, weekday, season and holiday. A tariff is a value;
// its prices over a stretch of time are a core::PriceSeries. A tariff follows the local clock, as a
// meter does: through a change to or from daylight-saving time a window that is skipped costs
// nothing and one that is passed twice counts twice. The file format and the rule for windows that
// overlap: docs/prices.md. Pure but for the time zone database (zone_clock.h).

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/signal/price_series.h"
#include "prices/zone_clock.h"

namespace ebb::prices {

inline constexpr int kMinutesOfDay = 24 * 60;

/// Both days belong to the season; one from November to February spans the turn of the year.
struct Season {
  std::chrono::month_day from, to;
};

/// A rate that holds between two times of the local day.
struct RateWindow {
  std::string name;
  ZoneClock clock;
  unsigned weekdays = 0x7f;  ///< bit 0: Sunday, bit 6: Saturday; by the day the window begins on
  int begin_minute = 0;      ///< 0 to 1439
  int end_minute = kMinutesOfDay;  ///< excluded; 1 to 1440; below begin_minute: on the next day
  std::optional<Season> season;    ///< by the day the window begins on
  double per_kwh = 0;
  std::optional<double> off_peak_per_kwh;  ///< outside of every window; see RateAt
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

/// The rate at a moment. If several windows contain it, the first in the tariff's order holds.
/// Outside of all windows the rate is flat_per_kwh, else the off-peak rate of the first window
/// whose weekdays and season fit the day, else of the first whose season does, else of the first.
/// nullopt if the tariff has none of these.
std::optional<Rate> RateAt(const Tariff& tariff, Time time);

/// The tariff's prices over `span`; adjacent pieces of equal price are one sample.
core::PriceSeries PricesOver(const Tariff& tariff, Interval span);

}  // namespace ebb::prices
