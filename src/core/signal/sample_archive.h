#pragma once
// All values published about a zone so far, one value per moment. A measured value beats an
// estimate for the same time, whichever came first; among equals the later answer wins. An estimate
// that loses still answers the question for its time, so nobody needs to ask again. Pure.

#include <map>
#include <optional>
#include <vector>

#include "core/signal/intensity.h"

namespace ebb::core {

class SampleArchive {
 public:
  void Add(const std::vector<Sample>& samples);
  /// Forgets samples that ended before `time`.
  void ForgetBefore(Time time);

  bool empty() const { return samples_.empty(); }
  /// The end of the newest measured value, and of the newest value at all; the epoch if there is
  /// none.
  Time measured_until() const;
  Time until() const { return empty() ? Time{} : samples_.rbegin()->second.interval.end; }
  std::optional<Sample> At(Time time) const;
  std::vector<Sample> samples() const;
  IntensitySeries Series(const SignalIdentity& identity) const;

 private:
  void AddOne(Sample sample);
  void Carve(Interval interval);

  std::map<Time, Sample> samples_;  ///< samples by begin, never overlapping
};

}  // namespace ebb::core
