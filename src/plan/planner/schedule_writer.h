#pragma once
// From a finished draft to the Schedule that the engine reads: segments, what to do now, the rule
// and the numbers that decided, and when to ask again.

#include "plan/policy.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// What a plan was made by, beside the intensity.
struct Heeded {
  bool thresholds = false;  ///< the job's own is one of the numbers
  bool money = false;       ///< the price of electricity
};

/// What the placement means for one job.
JobPlan PlanOf(const Problem& problem, const Task& task, const Placement& placement,
               const Heeded& heeded);

/// Writes every field but `lower_bound`. Aligned with problem.jobs.
void WriteSchedule(const Problem& problem, const Draft& draft, bool heeds_money,
                   Schedule& schedule);

}  // namespace ebb::plan
