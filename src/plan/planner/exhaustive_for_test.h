#pragma once
// Small random planning problems and their optimum by trying every way, for tests and the planner's
// benchmark. Shares nothing with the planner: time is a handful of whole units, a way to run a job
// is a set of units on one pool.

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/policy.h"

namespace ebb::plan::testing {

/// A problem that owns what a Problem points to.
struct Instance {
  Time now{};
  core::Cluster cluster;
  std::vector<core::Job> jobs;
  std::vector<JobView> views;
  std::vector<core::SignalView> signals;
  std::vector<SiteView> sites;
  Duration unit{};
  int units = 0;  ///< of forecast

  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// Fills views (waiting) and sites; call after the last change.
  Problem Finish();
};

/// One to three devices in one or two pools, two to four jobs of one or two devices, some pausable,
/// with deadlines that may be impossible. All durations are whole units of 30 minutes.
void MakeRandomInstance(std::uint64_t seed, Instance& instance);

/// What a kilowatt-hour costs the job in a unit of time: the site's intensity and, above the job's
/// threshold, three times the dearest unit; and what all of the job's cost counts.
double PreferredPriceOf(const Instance& instance, const core::Job& job, int pool, int unit);
double WeightOf(const Instance& instance, const core::Job& job);

/// The lowest cost with every deadline kept, grams where no job has a priority or a threshold;
/// nothing when that is impossible.
std::optional<double> ExhaustiveOptimum(const Instance& instance);

}  // namespace ebb::plan::testing
