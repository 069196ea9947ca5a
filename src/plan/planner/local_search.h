#pragma once
// Makes a complete draft cheaper until its budget of work is spent. First every task in turn moves
// to its cheapest place, those with the highest gain per device-hour first. Then a few neighbouring
// tasks at a time are taken out and put back in another order (ruin and recreate; Schrimpf et al.
// 2000, Christiaens and Vanden Berghe 2020). The result is accepted if it is no worse, or for a
// while if it is slightly worse. The draft never gets later than it was.

#include <cstdint>
#include <limits>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// Moves every task to its cheapest place in turn, in up to three rounds; in a long queue, in no
/// further one when a round gains little.
void MoveEach(Draft& draft, const SearchOptions& options, Work& work,
              std::int64_t budget = std::numeric_limits<std::int64_t>::max());

/// Stops at `budget` units of work. Deterministic.
void Improve(Draft& draft, const SearchOptions& options, std::int64_t budget, Work& work);

}  // namespace ebb::plan
