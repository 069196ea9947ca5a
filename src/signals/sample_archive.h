#pragma once
// What has been published about a zone so far, one value per moment: a measured value beats an
// estimate for the same time whatever came first, and among equals the later answer wins. An
// estimate that loses is still an answer: it asks for nothing. Pure.

#include <map>
#include <vector>

#include "core/intensity.h"

namespace ebb::signals {

class SampleArchive {
 public:
  void Add(const std::vector<core::Sample>& samples);
  /// Forgets what ended before `time`.
  void ForgetBefore(Time time);

  bool empty() const { return samples_.empty(); }
  /// The end of the newest measured value, and of the newest at all; epoch where there is none.
  Time measured_until() const;
  Time until() const { return empty() ? Time{} : samples_.rbegin()->second.interval.end; }
  std::vector<core::Sample> samples() const;
  core::IntensitySeries Series(const core::SignalIdentity& identity) const;

 private:
  void AddOne(core::Sample sample);
  void Carve(Interval interval);

  std::map<Time, core::Sample> samples_;  ///< by begin, never overlapping
};

}  // namespace ebb::signals
