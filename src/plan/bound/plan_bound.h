#pragma once
// What the lower bound has to know of a plan.

#include "plan/bound/lower_bound.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// A bound for all schedules that are as punctual as the draft: its late jobs have no window, and
/// pausable jobs pause for free.
BoundInput MakeBoundInput(const Draft& draft);

}  // namespace ebb::plan
