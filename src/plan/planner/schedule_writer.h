#pragma once
// From a finished draft to the Schedule that the engine reads: segments, what to do now, the rule
// and the numbers that decided, and when to ask again.

#include "plan/policy.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// What the placement means for one job. `heeds_thresholds`: the job's own is one of the numbers.
JobPlan PlanOf(const Problem& problem, const Task& task, const Placement& placement,
               bool heeds_thresholds);

/// Writes every field but `lower_bound`. Aligned with problem.jobs.
void WriteSchedule(const Problem& problem, const Draft& draft, Schedule& schedule);

}  // namespace ebb::plan
