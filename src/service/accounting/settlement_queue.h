#pragma once
// Settles jobs that have ended (settlement.h): soon after their end, again when their last hours
// have been published, and once more when the provider revises its values no longer. The rows of
// each site are settled on the values of its own zone.
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
    /// The feeds of all sites, by number, this machine's first; nullptr: a site that is not used
    /// any more.
    std::function<std::vector<runtime::SignalFeed*>()> feeds;
    std::function<core::Cluster()> cluster;  ///< with the devices that are away
    std::function<std::int64_t(core::JobId)> checkpoint_bytes;
    Duration longest_delay;  ///< of a job without a deadline
    /// The figures of a job have been settled, shown and stored, by these rows and values.
    std::function<void(core::JobId, const std::vector<RanAt>&)> on_settled;
  };
  explicit SettlementQueue(Ports ports) : ports_(std::move(ports)) {}

  /// The job has ended, and all of its ledger is in the store.
  void Add(core::JobId job) { next_.push_back(job); }
  /// An earlier life has settled the job, which ended at `ended`. Values that were published since
  /// may change it. `is_open`: some of its figures are not known yet.
  void AddSettled(core::JobId job, Time ended, bool is_open);
  /// Settles some of those that are due, for a few milliseconds. True: others are left.
  bool SettleSome();
  /// When the next job is due; Time::max(): none.
  Time NextAt() const { return later_.empty() ? Time::max() : later_.begin()->first; }

 private:
  struct AtSites;
  void Settle(core::JobId job);
  bool Revises() const;
  Result<AtSites> Ask(const JobCard& card, const std::vector<core::LedgerRow>& rows) const;
  Time NextLook(const Settlement& settlement, const AtSites& at, Time ended) const;
  Settlement SettlementAt(Time submitted, const std::vector<core::LedgerRow>& rows,
                          const AtSites& at) const;

  Ports ports_;
  std::deque<core::JobId> next_;
  std::multimap<Time, core::JobId> later_;  // when more has been published
};

/// Stores the figures of a job that has ended, so that the next life need not read its ledger,
/// which may be pruned by then.
void StoreFigures(store::ServiceStore& store, const Publisher& publisher, core::JobId job);

}  // namespace ebb::service
