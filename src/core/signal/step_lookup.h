#pragma once
// Lookup of a moment in a step function: ordered, non-overlapping samples that each have an
// `interval`. Intensities and prices share it.

#include <algorithm>
#include <vector>

#include "base/time.h"

namespace ebb::core {

/// The first sample that may overlap a window beginning at `time`; O(log n).
template <typename Sample>
typename std::vector<Sample>::const_iterator FirstEndingAfter(const std::vector<Sample>& samples,
                                                              Time time) {
  return std::upper_bound(samples.begin(), samples.end(), time,
                          [](Time t, const Sample& sample) { return t < sample.interval.end; });
}

/// The sample whose interval contains `time`, or nullptr in a gap; O(log n).
template <typename Sample>
const Sample* SampleAt(const std::vector<Sample>& samples, Time time) {
  const auto it = FirstEndingAfter(samples, time);
  return it != samples.end() && it->interval.begin <= time ? &*it : nullptr;
}

/// The first sample that begins after `time`, or nullptr; O(log n).
template <typename Sample>
const Sample* SampleAfter(const std::vector<Sample>& samples, Time time) {
  const auto it =
      std::upper_bound(samples.begin(), samples.end(), time,
                       [](Time t, const Sample& sample) { return t < sample.interval.begin; });
  return it == samples.end() ? nullptr : &*it;
}

}  // namespace ebb::core
