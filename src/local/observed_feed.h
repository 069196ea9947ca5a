#pragma once
// A live source is asked once per new value while something runs, so that accounting has what the
// grid did meanwhile; a failure leaves a gap in the signal and is asked again when the feed says
// so. Private to local/.

#include <functional>
#include <tuple>

#include "runtime/signal_feed.h"

namespace ebb::local {

class ObservedFeed {
 public:
  /// `next`: when to ask first. The feed must outlive this.
  explicit ObservedFeed(runtime::SignalFeed& feed, Time next = Time::min())
      : feed_(feed), next_(next) {}

  void KeepUp(Time grid_now) {
    // A clock that was set back has no part in what was planned by it.
    if (grid_now >= looked_at_ && grid_now < next_) {
      looked_at_ = grid_now;
      return;
    }
    looked_at_ = grid_now;
    std::ignore = feed_.get().Observe(grid_now, Duration::zero());
    next_ = feed_.get().NextChange(grid_now);
  }

 private:
  std::reference_wrapper<runtime::SignalFeed> feed_;
  Time looked_at_ = Time::min();
  Time next_;
};

}  // namespace ebb::local
