#pragma once
// Finds the cheapest place for an elastic task in pieces of different widths. It is a dynamic
// programme over slots of time for each pool (width_programme.h): it takes more devices where the
// hours are clean, as long as the work that they add costs less there than elsewhere.

#include <optional>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// The cheapest placement in pieces within `allowed`, on any pool, that keeps the deadline; nullopt
/// if there is none, or none cheaper than `to_beat`.
std::optional<Placement> CheapestWidths(const Draft& draft, std::size_t task, Interval allowed,
                                        const Cost& to_beat, Work& work);

}  // namespace ebb::plan
