#pragma once
// The starts that the planner chooses for jobs that cannot be paused from outside: for jobs in
// Slurm while no service runs, and for tasks in clouds. The engine and the planner are those of the
// service. Pure.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/devices/cluster.h"
#include "core/jobs/decision.h"
#include "core/jobs/job.h"
#include "core/signal/intensity.h"

namespace ebb::app {

struct StartChoice {
  std::string refused;  ///< why the engine does not take the job; empty: it takes it
  Time start{};         ///< the moment of the plan: at once
  Time latest{};        ///< latest start by the job's deadlines
  int pool = -1;        ///< pool in which it is expected to run
  core::Reason reason;
  std::optional<Intensity> if_now;    ///< expected mean over the run if it starts at once
  std::optional<Intensity> expected;  ///< the same if it starts at `start`

  bool is_at_once(Time now) const { return start <= now; }
};

/// The choices for `jobs`, in their order. `views` are the signals of the cluster's sites, in their
/// order, all of one moment (view.now), which is that of the plan. A job without a deadline starts
/// within 24 hours.
std::vector<StartChoice> ChooseStarts(const core::Cluster& cluster, std::vector<core::Job> jobs,
                                      std::span<const core::SignalView> views, Time next_change);
/// The same on one site.
std::vector<StartChoice> ChooseStarts(const core::Cluster& cluster, std::vector<core::Job> jobs,
                                      const core::SignalView& view, Time next_change);

/// The mean intensity of a run, if all of it is known.
std::optional<Intensity> MeanOfRun(const core::SignalView& view, Time start, Duration length);

/// A cluster that has room for every job of this width, for one job alone.
core::Cluster ClusterFor(int devices);

}  // namespace ebb::app
