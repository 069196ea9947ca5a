#pragma once
// Makes the input of the lower bound from a draft of a plan.

#include "plan/bound/lower_bound.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// Input of a bound for all schedules that are as punctual as the draft: its late jobs have no
/// window, and pausable jobs pause for free.
BoundInput MakeBoundInput(const Draft& draft);

}  // namespace ebb::plan
