#pragma once
// Shows whether a loop still runs, and where it hangs if it does not. The loop beats once a cycle,
// says what it is about to do, and rests while it waits for work.
//
// Thread contract: Beat, At and Rest are called by the loop; the other functions from any thread.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>

namespace ebb::runtime {

class Heartbeat {
 public:
  using Clock = std::chrono::steady_clock;

  /// Begins a cycle.
  void Beat() { since_ = Clock::now().time_since_epoch().count(); }
  /// Says for people what the cycle does from here on: "deciding what runs", a string literal.
  /// `job` is the job concerned; 0: none.
  void At(const char* doing, std::int64_t job = 0) {
    doing_ = doing;
    job_ = job;
  }
  /// From here until the next beat the loop waits, however long.
  void Rest() { since_ = kResting; }
  /// The time for which the cycle has been under way; zero while the loop rests.
  std::chrono::nanoseconds BusyFor(Clock::time_point now) const {
    const Clock::rep since = since_;
    if (since == kResting) return std::chrono::nanoseconds::zero();
    const Clock::duration busy = now.time_since_epoch() - Clock::duration(since);
    return std::max<std::chrono::nanoseconds>(busy, std::chrono::nanoseconds::zero());
  }
  /// The present step of the loop. A loop that goes on may have left this step by now.
  std::string Doing() const {
    const std::int64_t job = job_;
    const std::string doing = doing_.load();
    return job == 0 ? doing : doing + " job " + std::to_string(job);
  }

 private:
  static constexpr Clock::rep kResting = -1;
  std::atomic<Clock::rep> since_{kResting};
  std::atomic<const char*> doing_{"starting"};
  std::atomic<std::int64_t> job_{0};
};

}  // namespace ebb::runtime
