#pragma once
// For queues too large to search: lets the rents of the lower bound guide every job past the hours
// that others need more. Jobs move to where price plus rent is lowest, then once more to where the
// price alone is; kept only if that is better.

#include "plan/bound/lower_bound.h"
#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

void MoveUnderRents(Draft& draft, const RentedBound& bound, const SearchOptions& options,
                    Work& work);

}  // namespace ebb::plan
