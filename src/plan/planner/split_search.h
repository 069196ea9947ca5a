#pragma once
// Finds the cheapest place for a pausable task, in one piece or in several. It is exact for each
// choice over slots of time (slot_programme.h), with a cost for every resume, pieces of at least
// the minimum length, and only where the pool has room. The k cheapest slots alone would cut a job
// into many small pieces.

#include <optional>

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// The cheapest placement in pieces within `allowed`, on any choice, that keeps the deadline;
/// nullopt if there is none, or none cheaper than `to_beat`.
std::optional<Placement> CheapestSplit(const Draft& draft, std::size_t task, Interval allowed,
                                       const Cost& to_beat, Work& work);

/// The cheapest placement within `allowed`, in one piece or several, that keeps the deadline;
/// choice -1 if none costs less than `to_beat`.
Placement CheapestWithin(const Draft& draft, std::size_t task, Interval allowed, Work& work,
                         const Cost& to_beat = kAnyCost);

/// The cheapest placement of all; the least late one if none keeps the deadline. It does not wait
/// if that saves less than the options ask for. Choice -1 if no pool can hold the task.
Placement CheapestPlacement(const Draft& draft, std::size_t task, const SearchOptions& options,
                            Work& work);

}  // namespace ebb::plan
