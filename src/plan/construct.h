#pragma once
// Complete drafts to begin from: first come, first served; earliest deadline first where that
// misses one; and the previous schedule, kept as far as it still fits.

#include <vector>

#include "plan/draft.h"
#include "plan/placement_search.h"

namespace ebb::plan {

/// Everything as soon as possible in the order of submission. Where that misses a deadline, in the
/// order of latest begins, then with wide jobs first; the least late of the three. Running jobs
/// stay. Every task that some pool can hold is placed.
Draft PlaceAsSoonAsPossible(const PlanInput& input, Work& work);

/// The previous schedule with what is new placed where it is cheapest: a plan that was feasible
/// stays feasible unless the world changed. `schedule` is aligned with the tasks.
Draft KeepSchedule(const PlanInput& input, const Schedule& schedule, const SearchOptions& options,
                   Work& work);

}  // namespace ebb::plan
