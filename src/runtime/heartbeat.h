#pragma once
// Whether a loop still turns: it beats once a cycle, and rests where it waits for something to do.
//
// Thread contract: any; Beat and Rest are the loop's.

#include <algorithm>
#include <atomic>
#include <chrono>

namespace ebb::runtime {

class Heartbeat {
 public:
  using Clock = std::chrono::steady_clock;

  /// A cycle begins.
  void Beat() { since_ = Clock::now().time_since_epoch().count(); }
  /// From here until the next beat the loop waits, however long.
  void Rest() { since_ = kResting; }
  /// How long the cycle has been under way; zero while the loop rests.
  std::chrono::nanoseconds BusyFor(Clock::time_point now) const {
    const Clock::rep since = since_;
    if (since == kResting) return std::chrono::nanoseconds::zero();
    const Clock::duration busy = now.time_since_epoch() - Clock::duration(since);
    return std::max<std::chrono::nanoseconds>(busy, std::chrono::nanoseconds::zero());
  }

 private:
  static constexpr Clock::rep kResting = -1;
  std::atomic<Clock::rep> since_{kResting};
};

}  // namespace ebb::runtime
