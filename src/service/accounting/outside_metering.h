#pragma once
// The accounts of jobs that others measure: pods of a cluster, by the agents of their nodes. Energy
// becomes rows of the job's ledger, with the intensity of the signal that decides when jobs run. It
// is shown and stored like the energy of any job.
//
// All readings that are added between two commits of the store become durable together with the
// position that the executor remembers (Remember). So a service that is killed counts no reading
// twice and leaves none out.
//
// Thread contract: the loop's thread.

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/ledger/ledger.h"
#include "core/ledger/machine_ledger.h"
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
    /// Shows the figures that have changed, and has them stored soon.
    std::function<void()> changed;
    /// All readings of a job that has ended have been added.
    std::function<void(core::JobId)> complete;
  };
  explicit OutsideMetering(Ports ports) : ports_(std::move(ports)) {}

  /// Adds readings of an attempt of a known job. Their intervals of wall time are over. Returns the
  /// totals of the rows that they make.
  core::LedgerTotals Add(core::JobId job, int attempt,
                         std::span<const core::EnergyReading> readings);
  /// Adds, as one row, what another controller counted of a job before, whose ledger is not here.
  /// The row's intensity is the mean that gives its emissions.
  void AddEarlier(core::JobId job, int attempt, Interval wall, Energy energy,
                  std::optional<Emissions> emissions);
  /// Adds what a machine used. The shares already tell apart jobs and the rest.
  void AddMachine(const core::MachineShares& shares) { ports_.accounting.AddMachine(shares); }
  void Complete(core::JobId job) { ports_.complete(job); }
  /// Ends a batch that has to become durable as a whole.
  void Publish() { ports_.changed(); }

  /// The text of the last Remember that is durable; empty: there was none.
  std::string Remembered() const;
  /// Keeps a text for the executor's next life: how far it has read.
  void Remember(const std::string& text);

  /// The intensity at a moment of wall time, by the best values known now; nothing: it is unknown.
  std::optional<Intensity> IntensityAt(Time wall) const;

 private:
  Ports ports_;
};

}  // namespace ebb::service
