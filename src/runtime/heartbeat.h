#pragma once
// Whether a loop still turns, and where it stands if it does not: it beats once a cycle, says what
// it is about to do, and rests where it waits for something to do.
//
// Thread contract: any; Beat, At and Rest are the loop's.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>

namespace ebb::runtime {

class Heartbeat {
 public:
  using Clock = std::chrono::steady_clock;

  /// A cycle begins.
  void Beat() { since_ = Clock::now().time_since_epoch().count(); }
  /// What the cycle does from here on, for people: "deciding what runs". A literal. `job`: with
  /// which job; 0: none.
  void At(const char* doing, std::int64_t job = 0) {
    doing_ = doing;
    job_ = job;
  }
  /// From here until the next beat the loop waits, however long.
  void Rest() { since_ = kResting; }
  /// How long the cycle has been under way; zero while the loop rests.
  std::chrono::nanoseconds BusyFor(Clock::time_point now) const {
    const Clock::rep since = since_;
    if (since == kResting) return std::chrono::nanoseconds::zero();
    const Clock::duration busy = now.time_since_epoch() - Clock::duration(since);
    return std::max<std::chrono::nanoseconds>(busy, std::chrono::nanoseconds::zero());
  }
  /// What it is busy with; of a loop that goes on it may be gone by now.
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
