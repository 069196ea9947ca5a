#pragma once
// The port of a scheduling policy for a queue of jobs on a cluster: given everything that may be
// known at one moment, what should each job do and when. Pure: no clock, no I/O; what it carries
// from one call to the next is the Schedule alone, which the engine owns. Policies that look at one
// job at a time are GatePolicies (gate_policy.h) and join through MakeGated; the planner implements
// this port itself.
//
// A policy says what it wants. Whether devices are free, who goes first, and that nothing is
// released that does not fit, is the engine's business (engine/cycle).

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/cluster.h"
#include "core/decision.h"
#include "core/intensity.h"
#include "core/job.h"

namespace ebb::plan {

enum class JobState { kWaiting, kRunning, kPaused };

/// A job that has not ended, as the engine sees it.
struct JobView {
  const core::Job* job = nullptr;
  JobState state = JobState::kWaiting;
  Duration remaining{};  ///< of job->duration, at speed 1; > 0; does not hold pause_cost
  int pool = -1;         ///< kRunning: where it runs
  Time segment_begin{};  ///< kRunning: when it was started or resumed there
  int pauses = 0;
};

/// The signal of one site.
struct SiteView {
  const core::SignalView* view = nullptr;  ///< view->now is the moment; may be empty (no signal)
  Time next_change{};                      ///< when a new value is due
  bool awaited = false;                    ///< it has a source: what is not known may come any time
};

struct Problem {
  Time now{};
  const core::Cluster* cluster = nullptr;
  std::span<const JobView> jobs;    ///< ordered by id
  std::span<const SiteView> sites;  ///< as cluster->sites
  /// The queue drains: what runs is to end, not to be paused, and nothing is planned before this.
  /// `now`, where nobody knows when that is over.
  std::optional<Time> closed_until{};
};

/// A stretch of running.
struct Segment {
  int pool = -1;
  Interval time;
  friend bool operator==(const Segment&, const Segment&) = default;
};

/// Who goes first among the jobs that want to run now and do not all fit: lower first, the id last.
struct Order {
  int rank = 0;
  Time since{};
  friend constexpr auto operator<=>(const Order&, const Order&) = default;
};

/// What the policy wants for one job, and the numbers that decided.
struct JobPlan {
  core::JobId job = 0;
  bool run_now = false;  ///< start, resume or keep running, as far as devices are free
  int pool = -1;         ///< where; -1: the engine takes the one with the fewest grams
  std::vector<Segment>
      segments;  ///< expected running, in order; the first is the next (or current)
  Order order;
  core::Reason reason;         ///< without times: those are of the segments
  Time wake_at = Time::max();  ///< this job's part in Schedule::wake_at
};

/// What a device-hour is worth to the jobs of a queue beyond its power, by pool and step of time:
/// where many want the same hours, those are dear. In the unit of `Schedule::expected` per hour.
struct Rents {
  Time begin{};
  Duration step{1};
  std::vector<std::vector<double>> by_pool;
  std::vector<std::vector<double>> prices;  ///< of a kilowatt-hour, which the rents go with
  friend bool operator==(const Rents&, const Rents&) = default;
};

/// Aligned with Problem::jobs: jobs[i] speaks of problem.jobs[i].
struct Schedule {
  std::vector<JobPlan> jobs;
  Time wake_at = Time::max();            ///< ask again then, even if nothing happens
  std::optional<Emissions> expected;     ///< of all that is left to run, where the policy knows
  std::optional<Emissions> lower_bound;  ///< no schedule under the same forecast emits less
  std::optional<Rents> rents;            ///< of the last whole plan of a long queue
};

/// What is new since the schedule was last written.
struct Change {
  bool signals = false;           ///< a value or a forecast of any site
  bool cluster = false;           ///< sites, pools or counts
  std::vector<core::JobId> jobs;  ///< submitted, started, paused, resumed, or otherwise changed
};

class Policy {
 public:
  virtual ~Policy() = default;
  /// "run-now", "edf", "threshold", "tiers", "lowest-window", "lowest-slots", "carbon-time",
  /// "dtpr", "planner".
  virtual std::string_view name() const = 0;
  /// Brings `schedule` up to date. On entry it is aligned with problem.jobs: the engine has removed
  /// the plans of ended jobs and put empty ones where jobs are new.
  virtual void Update(const Problem& problem, const Change& change, Schedule& schedule) const = 0;
  /// Brings the plans of some jobs along with the time and with what has become of them, named by
  /// their places in problem.jobs, ascending; no other plan changes. What has no plan yet may be
  /// left without one. Schedule::wake_at is left to the caller: it is the earliest of all plans.
  virtual void PlanEach(const Problem&, std::span<const std::size_t>, Schedule&) const {}
  /// Whether one job is nothing to the others: PlanEach is as good as Update where signals and
  /// cluster are as they were.
  virtual bool plans_each() const { return false; }
  /// Of a long queue, in a fraction of the time: the plan that stands is followed, and what is new
  /// finds its place beside it, or what can wait makes way where it would be late. Some jobs may be
  /// left without a plan until the next Update.
  virtual void PlaceBeside(const Problem& problem, const Change& change, Schedule& schedule) const {
    Update(problem, change, schedule);
  }
  /// Whether PlaceBeside does less than Update.
  virtual bool places_beside() const { return false; }
};

}  // namespace ebb::plan
