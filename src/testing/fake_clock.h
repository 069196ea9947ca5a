#pragma once
// A wall clock under the test's control: sleeping moves it, instantly.

#include <optional>

#include "runtime/clock.h"

namespace ebb::testing {

class FakeClock final : public runtime::Clock {
 public:
  explicit FakeClock(Time now) : now_(now) {}
  Time Now() const override { return now_; }
  runtime::Wake SleepUntil(Time deadline) override {
    ++sleeps_;
    if (interrupt_at_ && deadline >= *interrupt_at_) {
      now_ = *interrupt_at_;
      return runtime::Wake::kInterrupted;
    }
    if (deadline > now_) now_ = deadline;
    return runtime::Wake::kDeadline;
  }
  void InterruptAt(Time time) { interrupt_at_ = time; }
  void Advance(Duration duration) { now_ += duration; }
  int sleeps() const { return sleeps_; }

 private:
  Time now_;
  std::optional<Time> interrupt_at_;
  int sleeps_ = 0;
};

}  // namespace ebb::testing
