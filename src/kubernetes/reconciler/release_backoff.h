#pragma once
// Computes how long a release waits after others have undone it repeatedly.
//
// A tool that applies a manifest with `suspend: true` over and over (GitOps with self-healing) and
// a controller that releases the object would fight: each round starts pods and kills them. So the
// second release that is undone within minutes is the last for a while, and each further one waits
// twice as long.
//
// Pure.

#include <algorithm>
#include <optional>
#include <string>

#include "base/time.h"

namespace ebb::kubernetes {

class ReleaseBackoff {
 public:
  /// Notes that another process suspended the object at `now` after its release at `released`. True
  /// if the next release has to wait until until(). `first_wait`: the wait after the second release
  /// that was undone soon.
  bool ReleaseUndone(Time released, Time now, Duration first_wait) {
    undone_ = now - released < kSoon ? undone_ + 1 : 1;
    if (undone_ < kPatience) {
      until_.reset();
      return false;
    }
    const int doublings = std::min(undone_ - kPatience, 16);
    until_ = now + std::min(first_wait * (1 << doublings), kLongestWait);
    return true;
  }
  /// Tells if releases still wait.
  bool IsOn(Time now) const { return until_ && now < *until_; }
  std::optional<Time> until() const { return until_; }
  int undone() const { return undone_; }

 private:
  static constexpr Duration kSoon = std::chrono::minutes{10};
  static constexpr int kPatience = 2;
  static constexpr Duration kLongestWait = std::chrono::hours{6};

  int undone_ = 0;
  std::optional<Time> until_;
};

}  // namespace ebb::kubernetes
