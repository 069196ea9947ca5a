#pragma once
// Finds the jobs of a standing plan that may run now. It offers free devices to the jobs that gain
// most by running now rather than as planned, and to those that lose nothing by it. A look at every
// job costs one comparison; only a few of them get a search for a place. The draft never gets later
// than it was.

#include "plan/planner/placement_search.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

void StartWhatGains(Draft& draft, const SearchOptions& options, Work& work);

}  // namespace ebb::plan
