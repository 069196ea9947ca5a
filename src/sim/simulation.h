#pragma once
// One policy, one start date: the production engine and loop (runtime/run_loop.h) on the simulated
// executor, and the accounting of what ran against the true signal. Deterministic: the same
// scenario and feeds give the same bytes in every build.
//
// Thread contract: one thread per call; feeds are not shared between threads.

#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "plan/policy.h"
#include "runtime/signal_feed.h"
#include "sim/accounting.h"
#include "sim/scenario.h"

namespace ebb::sim {

/// One feed per site of the cluster. Each thread has its own.
using Feeds = std::vector<std::unique_ptr<runtime::SignalFeed>>;

/// The true signal of every site around one start date. An Error names what a trace covers when it
/// ends before the last job could.
struct TrueSignals {
  std::vector<core::IntensitySeries> series;  ///< as cluster.sites
  std::vector<TrueIntensity> integrals;       ///< of `series`

  static Result<std::unique_ptr<TrueSignals>> Load(const Scenario& scenario, Feeds& feeds,
                                                   Time start);
};

struct Simulation {
  Time start{};
  std::vector<core::Job> jobs;       ///< as submitted, in absolute time
  std::vector<JobOutcome> outcomes;  ///< aligned with `jobs`
  Use use, idle;
  Energy pause_energy;
  int pauses = 0;

  /// From the start date to the end of the last job.
  Interval span() const;
};

/// Runs every job of the scenario to its end. `stopped` is asked once in every cycle; when it says
/// so, the Error is kTryLater.
Result<Simulation> Simulate(
    const Scenario& scenario, const PolicyChoice& policy, Time start, Feeds& feeds,
    const TrueSignals& truth, const std::function<bool()>& stopped = [] { return false; });

/// The same under a policy that no scenario can name, for experiments with new ones.
Result<Simulation> Simulate(
    const Scenario& scenario, std::unique_ptr<plan::Policy> policy, Time start, Feeds& feeds,
    const TrueSignals& truth, const std::function<bool()>& stopped = [] { return false; });

}  // namespace ebb::sim
