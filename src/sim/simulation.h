#pragma once
// Simulates one policy from one start date: the production engine and loop (runtime/run_loop.h) on
// the simulated executor, and the accounting of the schedule against the true signal.
// Deterministic: the same scenario and feeds give the same bytes in every build.
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

/// The true signal of every site around one start date. If a trace ends before the last job could,
/// the Error names the trace's range.
struct TrueSignals {
  std::vector<core::IntensitySeries> series;  ///< in the order of cluster.sites
  std::vector<TrueIntensity> integrals;       ///< integrals of `series`

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
  Use move_use;  ///< part of `use`
  int moves = 0;

  /// The time from the start date to the end of the last job.
  Interval span() const;
};

/// Runs every job of the scenario to its end. Every cycle calls `stopped` once; if that returns
/// true, the result is an Error with kTryLater.
Result<Simulation> Simulate(
    const Scenario& scenario, const PolicyChoice& policy, Time start, Feeds& feeds,
    const TrueSignals& truth, const std::function<bool()>& stopped = [] { return false; });

/// Simulates a policy that a scenario cannot name, for experiments with new policies.
Result<Simulation> Simulate(
    const Scenario& scenario, std::unique_ptr<plan::Policy> policy, Time start, Feeds& feeds,
    const TrueSignals& truth, const std::function<bool()>& stopped = [] { return false; });

}  // namespace ebb::sim
