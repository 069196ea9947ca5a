#include "forecast/seasonal_naive.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "forecast/rows.h"

namespace ebb::forecast {
namespace {

constexpr Duration kDay{std::chrono::days{1}};
constexpr Duration kWeek{std::chrono::days{7}};
constexpr double kYesterdayWeight = 0.7;
constexpr double kFadeHours = 12;
// Number of days and weeks back that are tried if a value is missing.
constexpr int kDaysTried = 7;
constexpr int kWeeksTried = 4;

struct Past {
  const core::IntensitySeries& history;
  Time now;

  // The latest known value that lies a whole number of periods before `target`.
  std::optional<double> Same(Time target, Duration period, int tries) const {
    const auto ahead = std::max<Duration::rep>(0, (target - now).count());
    // Rounds up, so that the first candidate is not after now; at least one period back.
    auto periods = std::max<Duration::rep>(1, (ahead + period.count() - 1) / period.count());
    for (int i = 0; i < tries; ++i, ++periods) {
      if (const core::Sample* sample = history.At(target - periods * period))
        return sample->intensity.g_per_kwh;
    }
    return std::nullopt;
  }
  std::optional<double> Yesterday(Time target) const { return Same(target, kDay, kDaysTried); }
  std::optional<double> Typical(Time target) const {
    const auto yesterday = Yesterday(target);
    const auto last_week = Same(target, kWeek, kWeeksTried);
    if (yesterday && last_week)
      return kYesterdayWeight * *yesterday + (1 - kYesterdayWeight) * *last_week;
    return yesterday ? yesterday : last_week;
  }
};

// Fills row by row with `expect`, and with the latest value if `expect` gives none.
template <typename Expect>
core::Forecast Repeat(const core::IntensitySeries& history, Time now, Duration horizon,
                      const char* method, Expect expect) {
  core::Forecast forecast{now, kConstantMethod, {}, {}, {}};
  const auto known = KnownBy(history, now);
  const std::vector<Interval> rows = RowsAhead(known, now, horizon);
  std::vector<double> values;
  for (const Interval& row : rows) {
    const std::optional<double> value = expect(row.begin);
    if (value) forecast.method = method;
    values.push_back(value.value_or(known.back().intensity.g_per_kwh));
  }
  forecast.series = ForecastSeries(history.identity(), rows, values);
  return forecast;
}

}  // namespace

Result<core::Forecast> Persistence::At(const core::IntensitySeries& history, Time now,
                                       Duration horizon) {
  const Past past{history, now};
  return Repeat(history, now, horizon, kPersistenceMethod,
                [&](Time target) { return past.Yesterday(target); });
}

Result<core::Forecast> SeasonalNaive::At(const core::IntensitySeries& history, Time now,
                                         Duration horizon) {
  const Past past{history, now};
  double deviation = 0;
  const core::Sample* current = history.At(now);
  const auto typical_now = past.Typical(now);
  if (current && typical_now) deviation = current->intensity.g_per_kwh - *typical_now;
  return Repeat(history, now, horizon, kSeasonalNaiveMethod,
                [&](Time target) -> std::optional<double> {
                  const auto typical = past.Typical(target);
                  if (!typical) return std::nullopt;
                  return *typical + deviation * std::exp(-Hours(target - now) / kFadeHours);
                });
}

}  // namespace ebb::forecast
