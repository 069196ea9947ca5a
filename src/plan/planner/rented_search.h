#pragma once
// Plans queues that are too large to search. The rents of the lower bound (lower_bound.h) keep each
// job away from the hours that others need more. Beginning from nothing, jobs are placed one after
// the other where price plus rent is lowest, those with the most device-hours first, because short
// jobs fill the gaps between them. A job that finds no place in time takes the place of a job that
// can wait longer (displacement.h). Then each job moves to where the price alone is lowest.

#include <cstdint>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// Replaces `draft`, which must be complete, by a better one, or leaves it as it was.
void PlaceUnderRents(Draft& draft, const Rents& rents, const SearchOptions& options, Work& work);

}  // namespace ebb::plan
