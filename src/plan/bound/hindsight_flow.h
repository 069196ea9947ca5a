#pragma once
// Solves the minimum-cost flow behind hindsight_bound.h.

#include <optional>

#include "plan/bound/hindsight_bound.h"
#include "plan/bound/lower_bound.h"

namespace ebb::plan {

/// Leaves out the price of settled jobs (`constant`). nullopt if the network would have more than
/// `most_arcs` arcs from jobs.
std::optional<HindsightBound> SolveHindsightFlow(const BoundInput& input, std::size_t most_arcs);

}  // namespace ebb::plan
