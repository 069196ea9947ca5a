#pragma once
// Complete drafts to begin from: first come, first served; earliest deadline first where that
// misses one; and the previous schedule, kept as far as it still fits.

#include <optional>
#include <vector>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// Everything as soon as possible in the order of submission. Where that misses a deadline, in the
/// order of latest begins, then with wide jobs first; the least late of the three. Running jobs
/// stay. Every task that some pool can hold is placed.
Draft PlaceAsSoonAsPossible(const PlanInput& input, Work& work);

/// The same in the order of submission alone: who is submitted next takes nobody's place.
Draft PlaceInOrderOfSubmission(const PlanInput& input, Work& work);

/// Where the previous plan has task `index`, as far as that is not over and as long as what is left
/// of it takes; nothing where it cannot be kept. Without its cost.
std::optional<Placement> KeptPlacement(const PlanInput& input, std::size_t index,
                                       const JobPlan& plan);

/// Whether every deadline is kept that can still be: of what has begun nothing can be changed.
bool IsInTime(const Draft& draft);

/// The previous schedule with what is new placed where it is cheapest: a plan that was feasible
/// stays feasible unless the world changed. `schedule` is aligned with the tasks.
Draft KeepSchedule(const PlanInput& input, const Schedule& schedule, const SearchOptions& options,
                   Work& work);

/// The same within a bounded time: of those that are new, only the `most_new` that have to begin
/// first are placed, and the jobs that run. Where one of them would be late, the ones that can wait
/// longer make way for it; no more do once that has taken `most_work`.
struct KeptSchedule {
  Draft draft;
  bool loses_deadlines = false;  ///< that the previous schedule alone keeps
};
KeptSchedule KeepScheduleQuickly(const PlanInput& input, const Schedule& schedule,
                                 const SearchOptions& options, std::size_t most_new,
                                 std::int64_t most_work, Work& work);

}  // namespace ebb::plan
