#pragma once
// What has been published about a zone so far, one value per moment: a measured value beats an
// estimate for the same time whatever came first, and among equals the later answer wins. An
// estimate that loses is still an answer: it asks for nothing. Pure.

#include <map>
#include <optional>
#include <vector>

#include "core/intensity.h"

namespace ebb::core {

class SampleArchive {
 public:
  void Add(const std::vector<Sample>& samples);
  /// Forgets what ended before `time`.
  void ForgetBefore(Time time);

  bool empty() const { return samples_.empty(); }
  /// The end of the newest measured value, and of the newest at all; epoch where there is none.
  Time measured_until() const;
  Time until() const { return empty() ? Time{} : samples_.rbegin()->second.interval.end; }
  std::optional<Sample> At(Time time) const;
  std::vector<Sample> samples() const;
  IntensitySeries Series(const SignalIdentity& identity) const;

 private:
  void AddOne(Sample sample);
  void Carve(Interval interval);

  std::map<Time, Sample> samples_;  ///< by begin, never overlapping
};

}  // namespace ebb::core
