#pragma once
// For queues too large to search: the rents of the lower bound (lower_bound.h) keep each job away
// from the hours that others need more. From nothing, jobs are placed one after the other where
// price plus rent is lowest, those that need most device-hours first, since the short ones fill
// what is left between them; one that finds no place in time takes that of a job that can wait
// longer (displacement.h). Then each moves to where the price alone is lowest.

#include <cstdint>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// Better than `draft`, which is complete, or as it was.
void PlaceUnderRents(Draft& draft, const Rents& rents, const SearchOptions& options, Work& work);

}  // namespace ebb::plan
