#pragma once
// A queue seen without any grid signal: only who fits where by when. For the checks of
// deadlines.

#include <string>
#include <vector>

#include "base/result.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// The problem with one price for all time.
PlanInput FlatInput(const Problem& problem);

/// What has to end by a moment, and the least it takes of all devices.
struct Load {
  Time latest_end{};
  double device_hours = 0;
};
/// Nothing for a task that runs or has no deadline of its own.
std::optional<Load> LoadOf(const Task& task);
/// A proof that some job must be late: what has to end by a moment is more than so many devices can
/// do until then. `loads` in order.
bool IsTooMuch(const std::vector<Load>& loads, double devices, Time now);
bool Before(const Load& left, const Load& right);

JobView WaitingView(const core::Job& job);
/// As the planner sees the waiting job; `view` must live as long as the task.
Task TaskOf(const JobView& view, const core::Cluster& cluster, Time now);

/// What is left of each pool beside a draft of the input.
std::vector<CapacityProfile> ProfilesOf(const Draft& draft, const PlanInput& input);

struct EarlyPlace {
  Interval time;
  int pool = -1;
  bool in_time = false;
};
/// In one piece, as soon as possible; one that is in time where there is one.
std::optional<EarlyPlace> EarliestPlace(const std::vector<CapacityProfile>& profiles,
                                        const Task& task, Time now);

/// It cannot keep its deadline beside the others, and `start_by` is the earliest that can be kept;
/// nothing: none within a year.
tl::unexpected<Error> CannotKeepDeadline(const core::Job& job, const core::Cluster& cluster,
                                         std::optional<Time> start_by);
std::string NameOf(const core::Job& job);

}  // namespace ebb::plan
