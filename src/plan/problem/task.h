#pragma once
// A job as the planner sees it: what is left of it, on which pools it can run, how long and at what
// power, and by when it must end there. Built once per plan from the Problem, so that the search
// touches numbers only.

#include <algorithm>
#include <vector>

#include "base/time.h"
#include "plan/policy.h"

namespace ebb::plan {

/// One pool a task may run on.
struct Choice {
  int pool = -1;
  /// Running time of what is left when it starts or resumes there, in one piece; > 0.
  Duration length{};
  /// Facility power of all its devices: PUE x watts / 1000.
  double kilowatts = 0;
  int curve = -1;    ///< index of what an hour costs the job there: its site, or one of its own
  double watts = 0;  ///< of its devices alone
  double speed = 1;
  Time latest_end = Time::max();

  Time LatestBegin() const { return latest_end - length; }
};

struct Task {
  const JobView* view = nullptr;
  int width = 1;
  double weight = 1;   ///< of what it costs, beside other jobs (preferences.h)
  bool fixed = false;  ///< runs and is not paused: holds its devices to its end
  /// May be split: its job is checkpointable, or can be frozen and nothing waits for its devices.
  bool pausable = false;
  bool continues = false;         ///< runs and can be paused: going on costs no pause on choices[0]
  Duration continued_length{};    ///< of what is left if it goes on now
  Time committed_until{};         ///< continues: not paused before
  bool deadline_is_soft = false;  ///< the planner's own, so that no job starves
  std::vector<Choice> choices;    ///< by pool; a running job's pool comes first

  bool CanSplit() const { return pausable && !fixed; }
  /// On the choice that leaves it most time; the far past where it has no choices.
  Time LatestBegin() const {
    Time latest = Time::min();
    for (const Choice& choice : choices) latest = std::max(latest, choice.LatestBegin());
    return latest;
  }
};

/// Aligned with problem.jobs. Jobs without a deadline get one, `longest_delay` after submission. A
/// job that fits no pool (any more) has no choices.
std::vector<Task> MakeTasks(const Problem& problem, Duration longest_delay);

/// What a job must keep: it is late beyond this end on the pool. A pausable job that must begin by
/// a moment must also end by that moment plus its run time there.
std::optional<Time> LatestEndOn(const core::Job& job, const core::DevicePool& pool, Duration work);

}  // namespace ebb::plan
