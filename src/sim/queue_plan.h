#pragma once
// "What would you do?": the engine's decision for a queue at one moment, with what it expects to
// come of it. Nothing is started and nothing is kept. The same engine and policies that run jobs.
// Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/cost.h"
#include "core/intensity.h"
#include "sim/scenario.h"

namespace ebb::sim {

struct PlannedJob {
  core::Job job;
  std::string refused;  ///< why it cannot be taken; empty: it can
  std::string reason;   ///< the engine's sentence
  bool starts_now = false;
  std::vector<plan::Segment> segments;  ///< empty: nothing can be expected yet
  std::optional<Emissions> expected;    ///< over the segments, under the forecast
  std::optional<Emissions> at_once;     ///< if it could start now where that emits least
};

struct QueuePlan {
  Time at{};
  std::string policy;
  core::Cluster cluster;
  std::vector<PlannedJob> jobs;          ///< those submitted by then, by id
  std::vector<core::SignalView> views;   ///< as cluster.sites
  std::optional<Emissions> expected;     ///< of all jobs
  std::optional<Emissions> at_once;      ///< of the same jobs
  std::optional<Emissions> lower_bound;  ///< no schedule under the same forecast emits less
  std::optional<core::Cost> cost;        ///< of the planned stretches; absent without prices
  std::string currency;
  int not_submitted = 0;  ///< jobs of the file that come later

  /// From `at` to the end of the last job.
  Interval span() const;
};

/// `views` as the cluster's sites, taken at `at`; `next_change` likewise.
Result<QueuePlan> PlanQueue(const Scenario& scenario, const PolicyChoice& policy, Time at,
                            std::vector<core::SignalView> views,
                            const std::vector<Time>& next_change);

}  // namespace ebb::sim
