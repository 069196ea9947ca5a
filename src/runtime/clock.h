#pragma once
// The port for time. Two users: platform::SystemClock and testing::FakeClock. The grid clock
// (grid_clock.h) is built on it.

#include "base/time.h"

namespace ebb::runtime {

enum class Wake { kDeadline, kInterrupted };

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
  /// Blocks until `deadline` or until the process is asked to stop (a signal); may not return early
  /// otherwise.
  virtual Wake SleepUntil(Time deadline) = 0;
};

}  // namespace ebb::runtime
