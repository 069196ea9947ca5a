#pragma once
// Small random planning problems, and their optimum found by trying every way, for tests and the
// planner's benchmark. They share nothing with the planner: time is a handful of whole units, and a
// way to run a job is a set of units on one pool. An elastic job has a width in each unit, and runs
// for a part of one unit, at the begin or the end of a piece, where the work asks for no more.

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/policy.h"

namespace ebb::plan::testing {

/// A problem that owns the objects to which a Problem points.
struct Instance {
  Time now{};
  core::Cluster cluster;
  std::vector<core::Job> jobs;
  std::vector<JobView> views;
  std::vector<core::SignalView> signals;
  std::vector<SiteView> sites;
  Duration unit{};
  int units = 0;  ///< number of units of forecast

  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// Fills views (waiting) and sites. Call it after the last change.
  Problem Finish();
};

/// Makes one to three devices in one or two pools and two to four jobs of one or two devices. Some
/// jobs are pausable, and deadlines may be impossible. All durations are whole units of 30 minutes.
void MakeRandomInstance(std::uint64_t seed, Instance& instance);

/// The same with two or three sites, each with a pool of its own. Jobs have a home and files, so
/// that another site costs a move of up to three units, with energy of the network, of the set-up
/// and of waiting devices. Some sites may not hold some jobs' data.
void MakeRandomSites(std::uint64_t seed, Instance& instance);

/// The same with sites that are clean by turns, and long pausable jobs, whose checkpoints are small
/// or take a unit to move.
void MakeRandomTurns(std::uint64_t seed, Instance& instance);

/// The same as MakeRandomInstance with larger pools and one or two elastic jobs of two or three
/// widths, whose further devices add less and less.
void MakeRandomElastic(std::uint64_t seed, Instance& instance);

/// The job's cost of a kilowatt-hour in a unit of time: the site's intensity, plus three times the
/// dearest unit if it is above the job's threshold, all times the job's weight.
double PreferredPriceOf(const Instance& instance, const core::Job& job, int pool, int unit);
double WeightOf(const Instance& instance, const core::Job& job);

/// The lowest cost with every deadline kept, in grams if no job has a priority or a threshold;
/// nullopt if no way keeps every deadline.
std::optional<double> ExhaustiveOptimum(const Instance& instance);

}  // namespace ebb::plan::testing
