#pragma once
// How often to decide while many submissions come in. A decision about a long queue takes a while,
// and submissions wait for their answers meanwhile. So the service stores and answers submissions
// first, and decides about several together:
// - a quick decision is made at once;
// - decisions take at most a twentieth of the time, so few people meet a slow one;
// - a submission waits a few seconds at most for its decision, or a few milliseconds if a device is
//   free on which it might start.
//
// Thread contract: the loop's thread.

#include <algorithm>
#include <chrono>

#include "base/time.h"

namespace ebb::service {

class DecisionPace {
 public:
  using Clock = std::chrono::steady_clock;

  /// A decision was made and took this much processor time. `device_is_free`: it left a device
  /// free.
  void Decided(Clock::time_point now, Clock::duration cost, bool device_is_free) {
    Clock::duration wait = cost < kQuick ? Clock::duration::zero() : kShare * cost;
    if (cost >= kFelt) wait = std::clamp<Clock::duration>(wait, kRarely, kLongest);
    if (device_is_free) wait = std::min<Clock::duration>(wait, kSoon);
    next_ = now + wait;
  }
  /// How long the next decision may wait if only submissions ask for it; zero: not at all.
  Duration Left(Clock::time_point now) const {
    return std::max(std::chrono::ceil<Duration>(next_ - now), Duration::zero());
  }

 private:
  static constexpr std::chrono::milliseconds kQuick{2};
  static constexpr std::chrono::milliseconds kFelt{8};
  static constexpr int kShare = 20;
  static constexpr std::chrono::milliseconds kSoon{40};
  static constexpr std::chrono::seconds kRarely{2};
  static constexpr std::chrono::seconds kLongest{5};
  Clock::time_point next_{};
};

}  // namespace ebb::service
