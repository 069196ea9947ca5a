#pragma once
// The port for time. Implementations: platform::SystemClock, and in tests testing::FakeClock and
// testing::SettableClock. The grid clock (grid_clock.h) is built on it.
//
// Points in time come from the wall clock, which people and NTP set. Durations are differences of
// SinceBoot, which nothing sets.

#include "base/time.h"

namespace ebb::runtime {

enum class Wake { kDeadline, kInterrupted };

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
  /// Time since a fixed point that stays the same while the machine is up, suspends included. Never
  /// goes back.
  virtual Duration SinceBoot() const = 0;
  /// Blocks until `deadline` or until the process is asked to stop (a signal); no longer than the
  /// deadline is away now, even if the clock is set back meanwhile.
  virtual Wake SleepUntil(Time deadline) = 0;
};

}  // namespace ebb::runtime
