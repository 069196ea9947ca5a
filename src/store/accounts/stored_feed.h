#pragma once
// The grid's intensity as a service received it, read from its store by another process.
// Supervisors of attempts account with it, whether or not the service runs
// (local/supervisor/supervisor.h). It has past values only, as far as the service has received
// them.
//
// Thread contract: one thread. The store is open only while it is read.

#include <string>

#include "platform/file.h"
#include "runtime/signal_feed.h"

namespace ebb::store {

class StoredFeed final : public runtime::SignalFeed {
 public:
  /// Reads no values before `since`. `zone`: that of a site; empty: that of the service's own
  /// machine.
  StoredFeed(platform::Path store, Time since, std::string zone = "");

  const core::SignalIdentity& identity() const override { return known_.identity(); }
  /// Reads the store again. The view has no forecast.
  Result<core::SignalView> Observe(Time now, Duration horizon) override;
  /// The values as of the last Observe.
  Result<core::IntensitySeries> Believed(Interval interval) override;
  /// The end of the value at `now`; if that is unknown, shortly after `now`.
  Time NextChange(Time now) const override;

 private:
  platform::Path store_;
  Time since_;
  std::string zone_;
  core::IntensitySeries known_;
};

}  // namespace ebb::store
