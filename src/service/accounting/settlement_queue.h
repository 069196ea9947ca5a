#pragma once
// Settles jobs that have ended (settlement.h): soon after their end, again when their last hours
// have been published, and once more when the provider revises its values no longer.
//
// Thread contract: the loop's thread.

#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "runtime/signal_feed.h"
#include "service/accounting/settlement.h"
#include "service/views/publisher.h"
#include "store/service_store.h"

namespace ebb::service {

class SettlementQueue {
 public:
  struct Ports {
    store::ServiceStore& store;
    Publisher& publisher;
    runtime::SignalFeed& feed;
    std::function<Time()> now;  ///< on the grid clock
    Pue pue;                    ///< of this machine's site
    /// The feed of the site of a pool; nullptr: that of this machine's site.
    std::function<runtime::SignalFeed*(int pool)> feed_at;
    /// The figures of a job have been settled, shown and stored, by these rows and values.
    std::function<void(core::JobId, const std::vector<RanAt>&)> on_settled;
  };
  explicit SettlementQueue(Ports ports) : ports_(std::move(ports)) {}

  /// The job has ended, and all of its ledger is in the store.
  void Add(core::JobId job) { next_.push_back(job); }
  /// An earlier life has settled the job, which ended at `ended`. Values that were published since
  /// may change it.
  void AddSettled(core::JobId job, Time ended);
  /// Settles some of those that are due, for a few milliseconds. True: others are left.
  bool SettleSome();
  /// When the next job is due; Time::max(): none.
  Time NextAt() const { return later_.empty() ? Time::max() : later_.begin()->first; }

 private:
  void Settle(core::JobId job);
  std::vector<RanAt> PlacesOf(core::JobId job, Time submitted,
                              const std::vector<core::LedgerRow>& rows,
                              const core::IntensitySeries& home) const;

  Ports ports_;
  std::deque<core::JobId> next_;
  std::multimap<Time, core::JobId> later_;  // when more has been published
};

/// Stores the figures of a job that has ended, so that the next life need not read its ledger,
/// which may be pruned by then.
void StoreFigures(store::ServiceStore& store, const Publisher& publisher, core::JobId job);

}  // namespace ebb::service
