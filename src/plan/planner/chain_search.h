#pragma once
// Local search for small queues of one-device jobs, with exact timing (device_chains.h). It moves
// jobs one by one to where they fit best; then it takes a few random jobs out and puts them back,
// again and again (iterated local search, Lourenco, Martin and Stuetzle 2003).

#include <cstdint>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// Makes the draft cheaper if it can; stops at `budget` units of work. Does nothing for queues with
/// gangs or late jobs, or for queues that are too large. Jobs in pieces and running jobs stay where
/// they are.
void ImproveChains(Draft& draft, std::int64_t budget, Work& work);

}  // namespace ebb::plan
