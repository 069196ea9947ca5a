#include "prices/tariff.h"

#include <algorithm>

#include "base/check.h"

namespace ebb::prices {
namespace {

namespace chr = std::chrono;
using LocalDay = chr::local_days;

bool Contains(const Season& season, chr::month_day day) {
  if (season.from <= season.to) return season.from <= day && day <= season.to;
  return season.from <= day || day <= season.to;
}

const Holiday* HolidayOn(const Tariff& tariff, chr::year_month_day date) {
  for (const Holiday& holiday : tariff.holidays)
    if (holiday.day == date.month() / date.day() && (!holiday.year || *holiday.year == date.year()))
      return &holiday;
  return nullptr;
}

bool InSeason(const RateWindow& window, LocalDay day) {
  const chr::year_month_day date{day};
  return !window.season || Contains(*window.season, date.month() / date.day());
}

// Whether the window begins on that day, holidays considered.
bool BeginsOn(const Tariff& tariff, const RateWindow& window, LocalDay day) {
  unsigned weekday = chr::weekday{day}.c_encoding();
  if (const Holiday* holiday = HolidayOn(tariff, chr::year_month_day{day})) {
    if (!holiday->as_weekday) return false;
    weekday = *holiday->as_weekday;
  }
  return (window.weekdays >> weekday & 1U) != 0 && InSeason(window, day);
}

bool Holds(const Tariff& tariff, const RateWindow& window, LocalTime local) {
  const LocalDay day = chr::floor<chr::days>(local);
  const Duration since_midnight = local - day;
  const chr::minutes begin{window.begin_minute}, end{window.end_minute};
  if (begin < end)
    return begin <= since_midnight && since_midnight < end && BeginsOn(tariff, window, day);
  return (begin <= since_midnight && BeginsOn(tariff, window, day)) ||
         (since_midnight < end && BeginsOn(tariff, window, day - chr::days{1}));
}

std::optional<double> OffPeakRate(const Tariff& tariff, Time time) {
  if (tariff.flat_per_kwh) return tariff.flat_per_kwh;
  const RateWindow *of_season = nullptr, *any = nullptr;
  for (const RateWindow& window : tariff.windows) {
    if (!window.off_peak_per_kwh) continue;
    const LocalDay day = chr::floor<chr::days>(window.clock.LocalOf(time));
    if (BeginsOn(tariff, window, day)) return window.off_peak_per_kwh;
    if (!of_season && InSeason(window, day)) of_season = &window;
    if (!any) any = &window;
  }
  if (of_season) return of_season->off_peak_per_kwh;
  return any ? any->off_peak_per_kwh : std::nullopt;
}

// Every moment inside `span` at which the rate of a window's clock can change: its midnights, the
// window's ends, and changes of the clock itself.
void AddCuts(const RateWindow& window, Interval span, std::vector<Time>& cuts) {
  for (Time from = span.begin; from < span.end;) {
    const OffsetSpan offset = window.clock.SpanAt(from);
    const Interval part = Overlap(offset.utc, {from, span.end});
    const LocalTime first{(part.begin + offset.offset).time_since_epoch()};
    for (LocalDay day = chr::floor<chr::days>(first);; day += chr::days{1}) {
      const Time midnight{day.time_since_epoch() - offset.offset};
      if (midnight >= part.end) break;
      for (const int minute : {0, window.begin_minute, window.end_minute})
        if (const Time cut = midnight + chr::minutes{minute}; part.contains(cut))
          cuts.push_back(cut);
    }
    cuts.push_back(part.begin);
    EBB_CHECK(part.end > from);
    from = part.end;
  }
}

}  // namespace

std::optional<Rate> RateAt(const Tariff& tariff, Time time) {
  for (const RateWindow& window : tariff.windows)
    if (Holds(tariff, window, window.clock.LocalOf(time))) return Rate{window.per_kwh, &window};
  if (const auto off_peak = OffPeakRate(tariff, time)) return Rate{*off_peak, nullptr};
  return std::nullopt;
}

core::PriceSeries PricesOver(const Tariff& tariff, Interval span) {
  std::vector<Time> cuts{span.begin};
  for (const RateWindow& window : tariff.windows) AddCuts(window, span, cuts);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<core::PriceSample> samples;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const Interval piece{cuts[i], i + 1 < cuts.size() ? cuts[i + 1] : span.end};
    const auto rate = RateAt(tariff, piece.begin);
    if (!rate || piece.length() == Duration::zero()) continue;
    if (!samples.empty() && samples.back().interval.end == piece.begin &&
        samples.back().per_kwh == rate->per_kwh)
      samples.back().interval.end = piece.end;
    else
      samples.push_back({piece, rate->per_kwh});
  }
  auto series = core::PriceSeries::Create(tariff.identity, std::move(samples));
  EBB_CHECK(series.has_value());
  return *std::move(series);
}

}  // namespace ebb::prices
