#pragma once
// Makes complete drafts to begin from: first come, first served; earliest deadline first if that
// misses a deadline; and the previous schedule, kept as far as it still fits.

#include <optional>
#include <vector>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// Places every task as soon as possible in the order of submission. If that misses a deadline,
/// also tries the order of latest begins and wide jobs first, and takes the least late of the
/// three. Running jobs stay. Every task that some pool can hold is placed.
Draft PlaceAsSoonAsPossible(const PlanInput& input, Work& work);

/// Places as soon as possible in the order of submission alone, so that a job that is submitted
/// next takes no other job's place.
Draft PlaceInOrderOfSubmission(const PlanInput& input, Work& work);

/// The place of task `index` in the previous plan, as far as that is not over, and as long as the
/// remaining work takes. nullopt if the place cannot be kept. The cost is not filled in.
std::optional<Placement> KeptPlacement(const PlanInput& input, std::size_t index,
                                       const JobPlan& plan);

/// True if every deadline is kept that can still be kept. The lateness of running jobs does not
/// count, because nothing can change it.
bool IsInTime(const Draft& draft);

/// Keeps the previous schedule and places new jobs where they are cheapest: a feasible plan stays
/// feasible unless the world changed. `schedule` is aligned with the tasks.
Draft KeepSchedule(const PlanInput& input, const Schedule& schedule, const SearchOptions& options,
                   Work& work);

/// The previous schedule, kept within a bounded time. Of the new jobs, it places only running ones
/// and the `most_new` that have to begin first. If one of them would be late, jobs that can wait
/// longer make way for it, until that has taken `most_work`.
struct KeptSchedule {
  Draft draft;
  bool loses_deadlines = false;  ///< misses deadlines that the previous schedule alone keeps
};
KeptSchedule KeepScheduleQuickly(const PlanInput& input, const Schedule& schedule,
                                 const SearchOptions& options, std::size_t most_new,
                                 std::int64_t most_work, Work& work);

}  // namespace ebb::plan
