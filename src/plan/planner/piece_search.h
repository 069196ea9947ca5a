#pragma once
// Finds the cheapest place for a task in pieces that differ in width or site. It is a dynamic
// programme over slots of time (piece_programme.h). An elastic task takes more devices where the
// hours are clean, as long as the work that they add costs less there than elsewhere. A task that
// may run at several sites goes to another one while it runs, if that saves enough and it stays
// long enough at each of them (core/jobs/move.h).

#include <optional>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// The cheapest placement of an elastic task in pieces within `allowed`, on any pool, that keeps
/// the deadline; nullopt if there is none, or none cheaper than `to_beat`.
std::optional<Placement> CheapestWidths(const Draft& draft, std::size_t task, Interval allowed,
                                        const Cost& to_beat, Work& work);

/// The cheapest placement of a task that MayMove, in pieces at several sites within `allowed`, that
/// keeps the deadline; nullopt if there is none, or none that saves enough beside `to_beat`.
std::optional<Placement> CheapestTour(const Draft& draft, std::size_t task, Interval allowed,
                                      const Cost& to_beat, Work& work);

}  // namespace ebb::plan
