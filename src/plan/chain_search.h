#pragma once
// Local search for small queues of one-device jobs, with exact timing: each device has a sequence
// of jobs, and for given sequences the best begins follow from a dynamic programme over a grid of
// time (forwards: the cheapest way to be done with the first i jobs by a moment; backwards: to run
// the rest from a moment on). With both tables a job's best place in any sequence, everyone else
// re-timed, costs one pass over the grid. Jobs are moved one by one to where they fit best; then a
// few at random are taken out and put back, again and again (iterated local search, Lourenco,
// Martin and Stuetzle 2003).

#include <cstdint>

#include "plan/draft.h"
#include "plan/placement_search.h"

namespace ebb::plan {

/// Makes the draft cheaper if it can; stops at `budget` units of work. Does nothing for queues with
/// gangs or late jobs, or too large. Jobs in
/// pieces and running jobs stay where they are.
void ImproveChains(Draft& draft, std::int64_t budget, Work& work);

}  // namespace ebb::plan
