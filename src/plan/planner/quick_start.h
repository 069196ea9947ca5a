#pragma once
// Which jobs of a standing plan may run now: devices that are free are offered to those that gain
// most by running now rather than as planned, and to those that lose nothing by it. A look at every
// job costs one comparison; a place is searched for a few of them only. Never later than the draft
// it began with.

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

void StartWhatGains(Draft& draft, const SearchOptions& options, Work& work);

}  // namespace ebb::plan
