#pragma once
// The engine's decision for a queue at one moment, with its expected effects: "What would you do?"
// Nothing is started and nothing is stored. The same engine and policies run jobs. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/ledger/cost.h"
#include "core/signal/intensity.h"
#include "sim/scenario.h"

namespace ebb::sim {

struct PlannedJob {
  core::Job job;
  std::string refused;  ///< why the job cannot be taken; empty if it can
  std::string reason;   ///< the engine's sentence
  bool starts_now = false;
  std::vector<plan::Segment> segments;  ///< empty if nothing can be expected yet
  std::optional<Emissions> expected;    ///< over the segments, under the forecast
  std::optional<Emissions> at_once;     ///< emissions if it could start now where that emits least
};

struct QueuePlan {
  Time at{};
  std::string policy;
  core::Cluster cluster;
  std::vector<PlannedJob> jobs;          ///< jobs submitted by then, by id
  std::vector<core::SignalView> views;   ///< in the order of cluster.sites
  std::optional<Emissions> expected;     ///< emissions of all jobs
  std::optional<Emissions> at_once;      ///< emissions of the same jobs
  std::optional<Emissions> lower_bound;  ///< no schedule under the same forecast emits less
  std::optional<core::Cost> cost;        ///< cost of the planned stretches; absent without prices
  std::string currency;
  int not_submitted = 0;  ///< jobs of the file that come later

  /// The time from `at` to the end of the last job.
  Interval span() const;
};

/// `views` are in the order of the cluster's sites and taken at `at`; `next_change` is in the same
/// order.
Result<QueuePlan> PlanQueue(const Scenario& scenario, const PolicyChoice& policy, Time at,
                            std::vector<core::SignalView> views,
                            const std::vector<Time>& next_change);

}  // namespace ebb::sim
