#pragma once
// Observes a live source once per new value while something runs, so that accounting has the values
// of that time. A failure leaves a gap in the signal, and the feed says when to ask again. Private
// to local/.

#include <functional>
#include <tuple>

#include "runtime/signal_feed.h"

namespace ebb::local {

class ObservedFeed {
 public:
  /// `next` is the time of the first request. The feed must outlive this.
  explicit ObservedFeed(runtime::SignalFeed& feed, Time next = Time::min())
      : feed_(feed), next_(next) {}

  void KeepUp(Time grid_now) {
    // A clock that was set back does not delay the next request.
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
