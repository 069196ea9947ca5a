#pragma once
// A wall clock that the test controls. Sleeping moves it at once.

#include <optional>

#include "runtime/clock.h"

namespace ebb::testing {

class FakeClock final : public runtime::Clock {
 public:
  explicit FakeClock(Time now) : now_(now) {}
  Time Now() const override { return now_; }
  Duration SinceBoot() const override { return since_boot_; }
  runtime::Wake SleepUntil(Time deadline) override {
    ++sleeps_;
    if (interrupt_at_ && deadline >= *interrupt_at_) {
      if (*interrupt_at_ > now_) Advance(*interrupt_at_ - now_);
      return runtime::Wake::kInterrupted;
    }
    if (deadline > now_) Advance(deadline - now_);
    return runtime::Wake::kDeadline;
  }
  void InterruptAt(Time time) { interrupt_at_ = time; }
  /// Lets time pass.
  void Advance(Duration duration) {
    now_ += duration;
    since_boot_ += duration;
  }
  /// Sets the clock without any time passing.
  void Set(Time now) { now_ = now; }
  int sleeps() const { return sleeps_; }

 private:
  Time now_;
  Duration since_boot_{std::chrono::hours{1}};
  std::optional<Time> interrupt_at_;
  int sleeps_ = 0;
};

}  // namespace ebb::testing
