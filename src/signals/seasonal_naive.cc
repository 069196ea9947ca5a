#include "signals/seasonal_naive.h"

#include <algorithm>
#include <cmath>

namespace ebb::signals {
namespace {

constexpr Duration kDay{std::chrono::days{1}};
constexpr Duration kWeek{std::chrono::days{7}};
constexpr double kYesterdayWeight = 0.7;
constexpr double kFadeHours = 12;
// How many days and weeks back a gap is stepped over.
constexpr int kDaysTried = 7;
constexpr int kWeeksTried = 4;

}  // namespace

SeasonalNaive::SeasonalNaive(const core::IntensitySeries& series, Time now)
    : series_(series), now_(now) {
  const core::Sample* current = series.At(now);
  const auto typical = Typical(now);
  if (current && typical) deviation_g_per_kwh_ = current->intensity.g_per_kwh - *typical;
}

std::optional<Intensity> SeasonalNaive::At(Time target) const {
  const auto typical = Typical(target);
  if (!typical) return std::nullopt;
  const double fade = std::exp(-Hours(target - now_) / kFadeHours);
  return Intensity{std::max(0.0, *typical + deviation_g_per_kwh_ * fade)};
}

std::optional<double> SeasonalNaive::Typical(Time target) const {
  const auto yesterday = SameHour(target, kDay, kDaysTried);
  const auto last_week = SameHour(target, kWeek, kWeeksTried);
  if (yesterday && last_week)
    return kYesterdayWeight * *yesterday + (1 - kYesterdayWeight) * *last_week;
  return yesterday ? yesterday : last_week;
}

// The value a whole number of periods before `target`, the latest that is known.
std::optional<double> SeasonalNaive::SameHour(Time target, Duration period, int tries) const {
  const auto ahead = std::max<Duration::rep>(0, (target - now_).count());
  // Rounded up, so that the first candidate is not after now; at least one period back.
  auto periods = std::max<Duration::rep>(1, (ahead + period.count() - 1) / period.count());
  for (int i = 0; i < tries; ++i, ++periods) {
    if (const core::Sample* sample = series_.At(target - periods * period))
      return sample->intensity.g_per_kwh;
  }
  return std::nullopt;
}

}  // namespace ebb::signals
