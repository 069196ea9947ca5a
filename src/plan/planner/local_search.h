#pragma once
// Makes a complete draft cheaper until its budget of work is spent. First every task in turn moves
// to its cheapest place, those that gain most per device-hour first; then few neighbouring tasks at
// a time are taken out and put back in another order (ruin and recreate; Schrimpf et al. 2000,
// Christiaens and Vanden Berghe 2020), accepted when no worse, or slightly worse for a while. Never
// later than the draft it began with.

#include <cstdint>
#include <limits>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// Moves every task to its cheapest place in turn, up to three times round.
void MoveEach(Draft& draft, const SearchOptions& options, Work& work,
              std::int64_t budget = std::numeric_limits<std::int64_t>::max());

/// Stops at `budget` units of work; deterministic.
void Improve(Draft& draft, const SearchOptions& options, std::int64_t budget, Work& work);

}  // namespace ebb::plan
