#pragma once
// The time of samples. Durations come from the monotonic clock; the wall time of a boundary is one
// reading of the wall clock plus the time since then (suspend included, CLOCK_BOOTTIME), so setting
// the wall clock meanwhile cannot make an interval negative or count one twice.

#include <signal.h>

#include <chrono>
#include <functional>

#include "base/time.h"
#include "meter/meter.h"

namespace ebb::meter {

using SteadyTime = std::chrono::steady_clock::time_point;

class SamplingClock {
 public:
  /// `wall_now` is read once. If it is empty, the system clock is read.
  explicit SamplingClock(const std::function<Time()>& wall_now);

  SteadyTime begin() const { return begin_; }
  Time wall_begin() const { return wall_; }
  Time WallNow() const;
  /// The first point after `now` on a grid that begins at the start and has the step `interval`, so
  /// that samples do not drift. A late sample skips points.
  SteadyTime NextMultiple(SteadyTime now, std::chrono::nanoseconds interval) const;

  static Instant AsInstant(SteadyTime time) { return time.time_since_epoch(); }

 private:
  Time wall_;
  std::chrono::nanoseconds boot_;
  SteadyTime begin_;
};

/// Blocks all signals in this thread. A new thread inherits the mask, so threads that are started
/// while this object lives get no signals; the threads that were there before handle them.
class BlockAllSignals {
 public:
  BlockAllSignals();
  ~BlockAllSignals();
  BlockAllSignals(const BlockAllSignals&) = delete;
  BlockAllSignals& operator=(const BlockAllSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace ebb::meter
