#include "forecast/hourly_grid.h"

#include <algorithm>

#include "base/check.h"

namespace ebb::forecast {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
// Share of the last deviation that remains after each missing hour.
constexpr double kDeviationKept = 0.9;
// A fit may use the filled value of up to this many missing hours in a row.
constexpr std::size_t kShortGapHours = 6;

}  // namespace

std::size_t HourlyGrid::Extend(std::span<const core::Sample> known) {
  const std::size_t common = std::min(seen_.size(), known.size());
  const auto changed = std::mismatch(
      seen_.begin(), seen_.begin() + static_cast<std::ptrdiff_t>(common), known.begin());
  const auto same = static_cast<std::size_t>(changed.first - seen_.begin());
  if (same < common) Forget(same);
  const std::size_t stayed = size();
  if (known.size() <= seen_.size()) return stayed;
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
      if (sample.interval.end > hour.end) break;  // the next hour has a part of this sample too
      ++next_sample_;
    }
    Append(sum, covered);
  }
  return stayed;
}

// Keeps the first `samples` samples and the hours that they fill; forgets the rest.
void HourlyGrid::Forget(std::size_t samples) {
  const std::size_t hours = samples > 0 ? HoursIn(std::span(seen_).first(samples)) : 0;
  const Time end = BeginOf(hours);
  seen_.resize(samples);
  next_sample_ = static_cast<std::size_t>(
      std::partition_point(seen_.begin(), seen_.end(),
                           [&](const core::Sample& sample) { return sample.interval.end <= end; }) -
      seen_.begin());
  days_.Truncate(hours);
  unknown_before_.resize(hours + 1);
  filling_.resize(hours);
}

void HourlyGrid::Append(double weighted_sum, Duration covered) {
  const bool known = covered.count() > 0;
  Filling filling = filling_.empty() ? Filling{} : filling_.back();
  filling.missing_run = known ? 0 : filling.missing_run + 1;
  if (!known) filling.deviation *= kDeviationKept;
  const double value =
      known ? weighted_sum / Hours(covered) : std::max(0.0, days_.Next() + filling.deviation);
  days_.Append(value, known);
  if (known) filling.deviation = value - days_.typical(size() - 1);
  filling_.push_back(filling);
  unknown_before_.push_back(unknown_before_.back() +
                            (filling.missing_run > kShortGapHours ? 1 : 0));
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
