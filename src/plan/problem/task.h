#pragma once
// A job as the planner sees it: the remaining work, the pools and widths on which it can run, its
// length and power there, and its latest end there. Built once per plan from the Problem, so that
// the search touches only numbers.

#include <algorithm>
#include <vector>

#include "base/time.h"
#include "plan/policy.h"

namespace ebb::plan {

/// The move with which a task begins on a pool of another site (core/jobs/move.h).
struct ChoiceMove {
  Duration takes{};           ///< 0: no move
  double kilowatts_here = 0;  ///< facility power at the site of the pool
  double kilowatts_from = 0;  ///< power of the network, at the price of the site that sends
  int curve_from = -1;        ///< index of that site's curve; -1: nothing comes over the network
};

/// One pool on which a task may run, at one width.
struct Choice {
  int pool = -1;
  int width = 1;  ///< number of devices
  /// Time for which it holds its devices if it starts or resumes here, in one piece: its move and
  /// its remaining work; > 0.
  Duration length{};
  /// Facility power of all its devices: PUE x watts / 1000.
  double kilowatts = 0;
  int curve = -1;    ///< index of the curve of the job's price here: the site's, or one of its own
  double watts = 0;  ///< power of its devices alone
  double speed = 1;  ///< speed of the pool, without that of the width
  Duration before_work{};  ///< the part of `length` without progress: move and resume
  Time latest_end = Time::max();
  /// Latest begin of a job that has not begun, beside that by `latest_end`: an elastic job that is
  /// wide could otherwise begin after its latest start.
  Time begin_by = Time::max();
  ChoiceMove move;

  Time LatestBegin() const { return std::min(latest_end - length, begin_by); }
};

struct Task {
  const JobView* view = nullptr;
  int width = 1;         ///< the job's own width
  bool elastic = false;  ///< it has choices of other widths too, and may change its width
  double weight = 1;     ///< weight of its cost beside other jobs' (preferences.h)
  bool fixed = false;    ///< runs and cannot be paused: it holds its devices to its end
  /// True if the task may be split: its job is checkpointable, or can be frozen and no other job
  /// waits for its devices.
  bool pausable = false;
  bool continues = false;         ///< runs and can be paused: if it goes on, choices[0] costs no
                                  ///< resume
  Duration continued_length{};    ///< running time of the remaining work if it goes on now
  Time committed_until{};         ///< continues: it must not pause before this time
  bool may_leave = true;          ///< continues: it may go to another site now (core/jobs/move.h)
  bool deadline_is_soft = false;  ///< the deadline is the planner's own, so that no job starves
  std::vector<Choice> choices;    ///< choices by pool, then by width, ascending; a running job's
                                  ///< pool and width come first

  bool CanSplit() const { return pausable && !fixed; }
  /// The latest begin on the choice that leaves most time; the far past if there are no choices.
  Time LatestBegin() const {
    Time latest = Time::min();
    for (const Choice& choice : choices) latest = std::max(latest, choice.LatestBegin());
    return latest;
  }
};

/// Tasks aligned with problem.jobs. Jobs without a deadline get one, `longest_delay` after
/// submission. A job that fits no pool (any more) has no choices.
std::vector<Task> MakeTasks(const Problem& problem, Duration longest_delay);

/// The move with which the job begins on the pool; `last_site` as in JobView.
ChoiceMove MoveOn(const core::Job& job, const core::Cluster& cluster, int last_site, int pool);
/// The same on this number of devices, which wait meanwhile.
ChoiceMove MoveOn(const core::Job& job, const core::Cluster& cluster, int last_site, int pool,
                  int width);

/// A move to the pool that takes and costs no more than the job's own, from its last site or its
/// home, nor than one from any other site at which it may have run by then. Its curve is that of
/// its own move.
ChoiceMove LeastMoveOn(const core::Job& job, const core::Cluster& cluster, int last_site, int pool,
                       int width);

/// The latest end on the pool after which the job counts as late. A pausable job with a latest
/// start must also end by that start plus its run time there.
std::optional<Time> LatestEndOn(const core::Job& job, const core::DevicePool& pool, Duration work);

}  // namespace ebb::plan
