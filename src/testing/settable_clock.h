#pragma once
// A clock on top of another one that can be set: its time jumps without any time passing.
//
// Thread contract: Jump may be called from any thread.

#include <atomic>

#include "runtime/clock.h"

namespace ebb::testing {

class SettableClock final : public runtime::Clock {
 public:
  /// `clock` must outlive this one.
  explicit SettableClock(runtime::Clock& clock) : clock_(clock) {}
  Time Now() const override { return clock_.Now() + Duration{ahead_.load()}; }
  Duration SinceBoot() const override { return clock_.SinceBoot(); }
  runtime::Wake SleepUntil(Time deadline) override {
    return clock_.SleepUntil(deadline - Duration{ahead_.load()});
  }
  /// Moves the time forward, or back if `duration` is negative.
  void Jump(Duration duration) { ahead_ += duration.count(); }

 private:
  runtime::Clock& clock_;
  std::atomic<Duration::rep> ahead_{0};
};

}  // namespace ebb::testing
