#pragma once
// A queue without any grid signal: only which jobs fit where by when. For the checks of deadlines.

#include <string>
#include <vector>

#include "base/result.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// The problem with one price for all time.
PlanInput FlatInput(const Problem& problem);

/// Work that must end by a moment, in the least device-hours that it takes.
struct Load {
  Time latest_end{};
  double device_hours = 0;
};
/// nullopt for a task that runs or has no deadline of its own.
std::optional<Load> LoadOf(const Task& task);
/// True proves that some job must be late: the work that must end by some moment is more than
/// `devices` devices can do until then. `loads` must be in order.
bool IsTooMuch(const std::vector<Load>& loads, double devices, Time now);
bool Before(const Load& left, const Load& right);

JobView WaitingView(const core::Job& job);
/// The waiting job as the planner sees it; `view` must live as long as the task.
Task TaskOf(const JobView& view, const core::Cluster& cluster, Time now);

/// The free devices of each pool beside a draft of the input.
std::vector<CapacityProfile> ProfilesOf(const Draft& draft, const PlanInput& input);

struct EarlyPlace {
  Interval time;
  int pool = -1;
  bool in_time = false;
  int width = 1;  ///< number of devices
};
/// The earliest place in one piece; a place in time is preferred if there is one.
std::optional<EarlyPlace> EarliestPlace(const std::vector<CapacityProfile>& profiles,
                                        const Task& task, Time now);

/// The error that the job cannot keep its deadline beside the others. `start_by` is the earliest
/// that can be kept; nullopt: none within a year.
tl::unexpected<Error> CannotKeepDeadline(const core::Job& job, const core::Cluster& cluster,
                                         std::optional<Time> start_by);
std::string NameOf(const core::Job& job);

}  // namespace ebb::plan
