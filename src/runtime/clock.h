#pragma once
// The port for time. Implementations: platform::SystemClock, and in tests testing::FakeClock and
// testing::SettableClock. The grid clock (grid_clock.h) is built on it.
//
// Moments are the wall clock's, which people and NTP set; how long something takes is a difference
// of SinceBoot, which nobody sets.

#include "base/time.h"

namespace ebb::runtime {

enum class Wake { kDeadline, kInterrupted };

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
  /// Time since a moment that stays the same while the machine is up, suspends included. Never goes
  /// back.
  virtual Duration SinceBoot() const = 0;
  /// Blocks until `deadline` or until the process is asked to stop (a signal); no longer than the
  /// deadline is away now, also where the clock is set back meanwhile.
  virtual Wake SleepUntil(Time deadline) = 0;
};

}  // namespace ebb::runtime
