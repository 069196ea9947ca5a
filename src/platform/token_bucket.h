#pragma once
// A rate limit: at most `burst` requests at once and `per_minute` in the long run. It reads no
// clock: the caller passes the time.

#include <algorithm>

#include "base/time.h"

namespace ebb::platform {

struct Rate {
  double per_minute = 30;
  double burst = 10;
};

class TokenBucket {
 public:
  explicit TokenBucket(Rate rate) : rate_(rate), tokens_(rate.burst) {}

  /// Takes a token. Returns the wait until the token is available, zero if it is available now.
  Duration Take(Time now) {
    // A clock that was set back adds no tokens and removes none.
    if (now > filled_at_) tokens_ += Seconds(now - filled_at_) * rate_.per_minute / 60;
    tokens_ = std::min(tokens_, rate_.burst);
    filled_at_ = now;
    tokens_ -= 1;
    return tokens_ >= 0 ? Duration::zero() : DurationFromSeconds(-tokens_ * 60 / rate_.per_minute);
  }

 private:
  Rate rate_;
  double tokens_;
  Time filled_at_{};
};

}  // namespace ebb::platform
