#pragma once
// What the lower bound has to know of a plan.

#include "plan/draft.h"
#include "plan/lower_bound.h"

namespace ebb::plan {

/// A bound for all schedules that are as punctual as the draft: its late jobs have no window, and
/// pausable jobs pause for free.
BoundInput MakeBoundInput(const Draft& draft);

}  // namespace ebb::plan
