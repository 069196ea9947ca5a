#include "sim/true_intensity.h"

#include <algorithm>

namespace ebb::sim {

TrueIntensity::TrueIntensity(const core::IntensitySeries& series) : series_(&series) {
  before_.reserve(series.samples().size() + 1);
  Sums sums;
  for (const core::Sample& sample : series.samples()) {
    before_.push_back(sums);
    const Duration length = sample.interval.length();
    sums.value_times_ms += sample.intensity.g_per_kwh * static_cast<double>(length.count());
    sums.known += length;
  }
  before_.push_back(sums);
}

TrueIntensity::Sums TrueIntensity::UpTo(Time time) const {
  const auto& samples = series_->samples();
  const auto it =
      std::upper_bound(samples.begin(), samples.end(), time,
                       [](Time t, const core::Sample& sample) { return t < sample.interval.end; });
  Sums sums = before_[static_cast<std::size_t>(it - samples.begin())];
  if (it == samples.end() || it->interval.begin >= time) return sums;
  const Duration part = time - it->interval.begin;
  sums.value_times_ms += it->intensity.g_per_kwh * static_cast<double>(part.count());
  sums.known += part;
  return sums;
}

std::optional<core::WindowMean> TrueIntensity::Mean(Interval window) const {
  const Sums begin = UpTo(window.begin);
  const Sums end = UpTo(window.end);
  const Duration known = end.known - begin.known;
  if (known <= Duration::zero()) return std::nullopt;
  const auto known_ms = static_cast<double>(known.count());
  return core::WindowMean{{(end.value_times_ms - begin.value_times_ms) / known_ms},
                          known_ms / static_cast<double>(window.length().count())};
}

}  // namespace ebb::sim
