#pragma once
// How often to decide while submissions pour in. Deciding about a long queue takes a while, and
// whoever submits then waits for it; so submissions are stored and answered first, and decided upon
// together: deciding takes at most a twentieth of the time, and what would be felt comes so rarely
// that few feel it. No submission waits for more than a few seconds to be decided upon, and where a
// device is free, so that it might start at once, for no more than would be felt; a decision that
// is quick is made at once.
//
// Thread contract: the loop's thread.

#include <algorithm>
#include <chrono>

#include "base/time.h"

namespace ebb::service {

class DecisionPace {
 public:
  using Clock = std::chrono::steady_clock;

  /// A decision was made, and took so much of the processor; it has left some device free.
  void Decided(Clock::time_point now, Clock::duration cost, bool device_is_free) {
    Clock::duration wait = cost < kQuick ? Clock::duration::zero() : kShare * cost;
    if (cost >= kFelt) wait = std::clamp<Clock::duration>(wait, kRarely, kLongest);
    if (device_is_free) wait = std::min<Clock::duration>(wait, kSoon);
    next_ = now + wait;
  }
  /// How long the next one can wait, if only submissions ask for it; zero: not at all.
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
