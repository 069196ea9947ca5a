#pragma once
// The port of a scheduling policy for a queue of jobs on a cluster: given everything that may be
// known at one moment, it says what each job should do and when. Pure: no clock, no I/O. The
// Schedule, which the engine owns, is all that carries over from one call to the next. Policies
// that look at one job at a time are GatePolicies (gate_policy.h) and join through MakeGated; the
// planner implements this port itself.
//
// A policy says what it wants. The engine (engine/engine.h) checks that devices are free, decides
// who goes first, and starts nothing that does not fit.

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/devices/cluster.h"
#include "core/jobs/decision.h"
#include "core/jobs/job.h"
#include "core/signal/intensity.h"

namespace ebb::plan {

enum class JobState { kWaiting, kRunning, kPaused };

/// A job that has not ended, as the engine sees it.
struct JobView {
  const core::Job* job = nullptr;
  JobState state = JobState::kWaiting;
  Duration remaining{};  ///< remaining part of job->duration, at speed 1; > 0; without pause_cost
  int pool = -1;         ///< kRunning: the pool where it runs
  Time segment_begin{};  ///< kRunning: when it was started or resumed there
  int pauses = 0;
  int last_site = -1;  ///< index of the site where it runs or ran last; -1: it has not begun
  Duration moving{};   ///< kRunning: the part of this stretch from its begin in which the job moves
                       ///< to the site (core/jobs/move.h)
  int devices = 0;     ///< kRunning: the width at which an elastic job runs; 0: its own

  int width() const { return devices > 0 ? devices : job->devices; }
};

struct SiteView {
  const core::SignalView* view = nullptr;  ///< view->now is the moment; may be empty (no signal)
  Time next_change{};                      ///< when a new value is due
  bool awaited = false;                    ///< the site has a source, so an unknown value may come
                                           ///< at any time
};

struct Problem {
  Time now{};
  const core::Cluster* cluster = nullptr;
  std::span<const JobView> jobs;    ///< ordered by id
  std::span<const SiteView> sites;  ///< in the order of cluster->sites
  /// Set while the queue drains: running jobs are to end, not to be paused, and nothing is planned
  /// before this time. It is `now` if the end of the drain is unknown.
  std::optional<Time> closed_until{};
};

/// A stretch of running on one pool, at one width.
struct Segment {
  int pool = -1;
  Interval time;
  int devices = 0;  ///< width of an elastic job; 0: the job's own
  friend bool operator==(const Segment&, const Segment&) = default;
};

/// The order of jobs that want to run now and do not all fit: lower first, the id last.
struct Order {
  int rank = 0;
  Time since{};
  friend constexpr auto operator<=>(const Order&, const Order&) = default;
};

/// The plan that the policy wants for one job, and the numbers that decided.
struct JobPlan {
  core::JobId job = 0;
  bool run_now = false;  ///< start, resume or keep running, as far as devices are free
  int pool = -1;         ///< pool to run on; -1: the engine takes the one with the fewest grams
  std::vector<Segment>
      segments;  ///< expected running, in order; the first is the next (or current)
  Order order;
  core::Reason reason;         ///< without times: `segments` has them
  Time wake_at = Time::max();  ///< this job's part in Schedule::wake_at
  int devices = 0;             ///< width on which to run an elastic job; 0: the job's own
};

/// The rent of a device-hour by pool and step of time: its worth to the jobs of a queue beyond its
/// power. It is high in hours that many jobs want. In the unit of `Schedule::expected` per hour.
struct Rents {
  Time begin{};
  Duration step{1};
  std::vector<std::vector<double>> by_pool;
  std::vector<std::vector<double>> prices;  ///< prices of a kilowatt-hour to which the rents belong
  friend bool operator==(const Rents&, const Rents&) = default;
};

/// Aligned with Problem::jobs: jobs[i] is the plan of problem.jobs[i].
struct Schedule {
  std::vector<JobPlan> jobs;
  Time wake_at = Time::max();            ///< the policy must be asked again then, even if nothing
                                         ///< happens
  std::optional<Emissions> expected;     ///< emissions of all that is left to run, if the policy
                                         ///< knows them
  std::optional<Emissions> lower_bound;  ///< no schedule under the same forecast emits less
  std::optional<Rents> rents;            ///< rents of the last whole plan of a long queue
};

/// Changes since the schedule was last written.
struct Change {
  bool signals = false;           ///< a site has a new value or forecast
  bool cluster = false;           ///< sites, pools or counts have changed
  std::vector<core::JobId> jobs;  ///< jobs that were submitted, started, paused, resumed, or
                                  ///< otherwise changed
};

class Policy {
 public:
  virtual ~Policy() = default;
  /// Name of the policy, as in PolicyNames() (make_policy.h).
  virtual std::string_view name() const = 0;
  /// Brings `schedule` up to date. On entry it is aligned with problem.jobs: the engine has removed
  /// the plans of ended jobs and put in empty ones for new jobs.
  virtual void Update(const Problem& problem, const Change& change, Schedule& schedule) const = 0;
  /// Updates the plans of some jobs for the present time and for their changes. The jobs are given
  /// by their places in problem.jobs, ascending; no other plan changes. A job without a plan may
  /// stay without one. The caller sets Schedule::wake_at, which is the earliest of all plans.
  virtual void PlanEach(const Problem&, std::span<const std::size_t>, Schedule&) const {}
  /// True if jobs do not affect each other: PlanEach is as good as Update if signals and cluster
  /// have not changed.
  virtual bool plans_each() const { return false; }
  /// Plans a long queue in a fraction of the time. It follows the standing plan and places new jobs
  /// beside it; jobs that can wait make way for jobs that would be late. Some jobs may stay without
  /// a plan until the next Update.
  virtual void PlaceBeside(const Problem& problem, const Change& change, Schedule& schedule) const {
    Update(problem, change, schedule);
  }
  /// True if PlaceBeside does less than Update.
  virtual bool places_beside() const { return false; }
};

}  // namespace ebb::plan
