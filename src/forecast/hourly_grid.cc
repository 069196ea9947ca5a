#include "forecast/hourly_grid.h"

#include <algorithm>

#include "base/check.h"

namespace ebb::forecast {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
// What is left of the last deviation after each missing hour.
constexpr double kDeviationKept = 0.9;
// Hours missing in a row that may stand in a fit with their filled value.
constexpr std::size_t kShortGapHours = 6;

}  // namespace

bool HourlyGrid::Extend(std::span<const core::Sample> known) {
  const std::size_t common = std::min(seen_.size(), known.size());
  const bool restart = !std::equal(
      seen_.begin(), seen_.begin() + static_cast<std::ptrdiff_t>(common), known.begin());
  if (restart) *this = HourlyGrid();
  if (known.size() <= seen_.size()) return restart;
  seen_.insert(seen_.end(), known.begin() + static_cast<std::ptrdiff_t>(seen_.size()), known.end());
  for (const std::size_t hours = HoursIn(seen_); size() < hours;) {
    const Interval hour{BeginOf(size()), BeginOf(size() + 1)};
    double sum = 0;
    Duration covered{0};
    while (next_sample_ < seen_.size() && seen_[next_sample_].interval.begin < hour.end) {
      const core::Sample& sample = seen_[next_sample_];
      const Duration part = Overlap(sample.interval, hour).length();
      sum += sample.intensity.g_per_kwh * Hours(part);
      covered += part;
      if (sample.interval.end > hour.end) break;  // the next hour has a part of it too
      ++next_sample_;
    }
    Append(sum, covered);
  }
  return restart;
}

void HourlyGrid::Append(double weighted_sum, Duration covered) {
  const bool known = covered.count() > 0;
  missing_run_ = known ? 0 : missing_run_ + 1;
  if (!known) deviation_ *= kDeviationKept;
  const double value =
      known ? weighted_sum / Hours(covered) : std::max(0.0, days_.Next() + deviation_);
  days_.Append(value, known);
  if (known) deviation_ = value - days_.typical(size() - 1);
  unknown_before_.push_back(unknown_before_.back() + (missing_run_ > kShortGapHours ? 1 : 0));
}

std::size_t HourlyGrid::HoursIn(std::span<const core::Sample> known) const {
  if (known.empty()) return 0;
  return static_cast<std::size_t>((known.back().interval.end - known.front().interval.begin) /
                                  kHour);
}

Time HourlyGrid::BeginOf(std::size_t hour) const {
  EBB_CHECK(!seen_.empty());
  return seen_.front().interval.begin + static_cast<Duration::rep>(hour) * kHour;
}

std::size_t HourlyGrid::FirstAtOrAfter(Time time) const {
  const Duration since = time - BeginOf(0);
  if (since <= Duration::zero()) return 0;
  return static_cast<std::size_t>((since + kHour - Duration{1}) / kHour);
}

}  // namespace ebb::forecast
