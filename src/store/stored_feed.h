#pragma once
// The grid as a service heard of it, read from its store by another process: what the supervisors
// of attempts account with, whether or not the service runs (local/supervisor.h). It knows the
// past; nothing of what the service has not heard yet.
//
// Thread contract: one thread. The store is open only while it is read.

#include "platform/file.h"
#include "runtime/signal_feed.h"

namespace ebb::store {

class StoredFeed final : public runtime::SignalFeed {
 public:
  /// Of no time before `since`.
  StoredFeed(platform::Path store, Time since);

  const core::SignalIdentity& identity() const override { return known_.identity(); }
  /// Reads the store again. Without forecast.
  Result<core::SignalView> Observe(Time now, Duration horizon) override;
  /// As of the last Observe.
  Result<core::IntensitySeries> Believed(Interval interval) override;
  /// The end of the value at `now`; where that is not known, shortly after.
  Time NextChange(Time now) const override;

 private:
  platform::Path store_;
  Time since_;
  core::IntensitySeries known_;
};

}  // namespace ebb::store
