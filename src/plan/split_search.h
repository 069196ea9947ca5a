#pragma once
// The cheapest place for a pausable task, in one piece or in several: an exact dynamic programme
// over slots of time with a cost for every resume, pieces of at least the minimum length, and only
// where the pool has room (the k cheapest slots with switching cost; without it a job would be cut
// into many small pieces). State: slots run, resumes so far, running or not.

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/draft.h"
#include "plan/placement_search.h"

namespace ebb::plan {

/// The cheapest placement in pieces on any choice that keeps the deadline, the task going on or
/// beginning at `earliest` or later; nothing where there is none, or surely none cheaper than
/// `to_beat`.
std::optional<Placement> CheapestSplit(const Draft& draft, std::size_t task, Time earliest,
                                       const Cost& to_beat, Work& work);

/// The cheapest placement of all. A waiting that saves less than the options ask for is not taken.
/// Nowhere (choice -1) where no pool can hold the task.
Placement CheapestPlacement(const Draft& draft, std::size_t task, Time earliest,
                            const SearchOptions& options, Work& work);

}  // namespace ebb::plan
