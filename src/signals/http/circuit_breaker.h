#pragma once
// A circuit breaker: after several failures in a row a service is not asked for a while. Then one
// probe is let through (half-open): its success closes the breaker, its failure opens it for
// longer. Values only; time is passed in.

#include <algorithm>

#include "base/time.h"

namespace ebb::signals {

struct BreakerOptions {
  int failures_to_open = 5;
  Duration open_for{std::chrono::minutes{5}};    ///< doubled whenever a probe fails...
  Duration longest_open{std::chrono::hours{1}};  ///< the limit of that doubling
};

class CircuitBreaker {
 public:
  enum class State { kClosed, kOpen, kHalfOpen };

  explicit CircuitBreaker(BreakerOptions options)
      : options_(options), open_for_(options.open_for) {}

  State StateAt(Time now) const {
    if (failures_ < options_.failures_to_open) return State::kClosed;
    return now < open_until_ ? State::kOpen : State::kHalfOpen;
  }
  Time open_until() const { return open_until_; }

  void Succeeded() {
    failures_ = 0;
    open_for_ = options_.open_for;
  }
  void Failed(Time now) {
    const bool probe = StateAt(now) == State::kHalfOpen;
    if (++failures_ < options_.failures_to_open) return;
    if (probe) open_for_ = std::min(open_for_ * 2, options_.longest_open);
    open_until_ = now + open_for_;
  }

 private:
  BreakerOptions options_;
  Duration open_for_;
  int failures_ = 0;
  Time open_until_{};
};

}  // namespace ebb::signals
