#pragma once
// The mean of the true intensity over any window in O(log n), by sums up to each sample: a year of
// jobs is accounted in milliseconds. The value is that of core::IntensitySeries::Mean times the
// length, up to rounding; the test holds both against each other. Immutable; any thread.

#include <vector>

#include "base/units.h"
#include "core/signal/intensity.h"

namespace ebb::sim {

class TrueIntensity {
 public:
  /// `series` must outlive the integral.
  explicit TrueIntensity(const core::IntensitySeries& series);

  /// Time-weighted mean over the known part; nothing if no part is known.
  std::optional<core::WindowMean> Mean(Interval window) const;
  const core::IntensitySeries& series() const { return *series_; }

 private:
  /// Sums up to a moment, from the first sample on.
  struct Sums {
    double value_times_ms = 0;
    Duration known{0};
  };
  Sums UpTo(Time time) const;

  const core::IntensitySeries* series_;
  std::vector<Sums> before_;  ///< before_[i] is the sum over all samples before samples()[i]
};

}  // namespace ebb::sim
