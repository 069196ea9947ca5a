#pragma once
// The accounts of what an executor measures by its own means, elsewhere than on this machine: pods
// of a cluster, by the agents of their nodes. Energy becomes rows of the job's ledger at the signal
// that decided, and is shown and stored as that of any job.
//
// Everything that is handed over between two commits of the store becomes durable together with
// what the executor has to remember of where it was, so that nothing is counted twice and nothing
// is left out when the service is killed.
//
// Thread contract: the loop's.

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/ledger.h"
#include "core/machine_ledger.h"
#include "runtime/grid_clock.h"
#include "runtime/signal_feed.h"
#include "service/accounting/job_accounting.h"
#include "store/service_store.h"

namespace ebb::service {

class OutsideMetering {
 public:
  struct Ports {
    JobAccounting& accounting;
    store::ServiceStore& store;
    runtime::SignalFeed& feed;
    const runtime::GridClock& clock;
    Pue pue;
    /// Figures have changed: they are to be shown, and stored soon.
    std::function<void()> changed;
    /// All that is measured of a job that has ended is there.
    std::function<void(core::JobId)> complete;
  };
  explicit OutsideMetering(Ports ports) : ports_(std::move(ports)) {}

  /// Of one attempt of a job that is known, over intervals of wall time that are over; what its
  /// rows come to.
  core::LedgerTotals Add(core::JobId job, int attempt,
                         std::span<const core::EnergyReading> readings);
  /// What another life, whose ledger is not here, has counted of a job up to then, as one row. Its
  /// intensity is the one that makes its emissions.
  void AddEarlier(core::JobId job, int attempt, Interval wall, Energy energy,
                  std::optional<Emissions> emissions);
  /// Of the machines, jobs included: settled.
  void AddMachine(const core::MachineShares& shares) { ports_.accounting.AddMachine(shares); }
  void Complete(core::JobId job) { ports_.complete(job); }
  /// Ends what belongs together.
  void Publish() { ports_.changed(); }

  /// What the executor has to know in its next life; empty: nothing was remembered.
  std::string Remembered() const;
  void Remember(const std::string& text);

  /// What is believed of that moment on the wall clock; nothing: it is not known.
  std::optional<Intensity> IntensityAt(Time wall) const;

 private:
  Ports ports_;
};

}  // namespace ebb::service
