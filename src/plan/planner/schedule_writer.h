#pragma once
// Turns a finished draft into the Schedule that the engine reads: segments, what to do now, the
// rule and the numbers that decided, and when to ask again.

#include "plan/policy.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// Inputs of a plan beside the intensity.
struct Heeded {
  bool thresholds = false;  ///< the job's threshold is one of the reported numbers
  bool money = false;       ///< the plan considered the price of electricity
};

/// The plan of one job, from its placement.
JobPlan PlanOf(const Problem& problem, const Task& task, const Placement& placement,
               const Heeded& heeded);

/// Writes every field except `lower_bound`. The schedule is aligned with problem.jobs.
void WriteSchedule(const Problem& problem, const Draft& draft, bool heeds_money,
                   Schedule& schedule);

}  // namespace ebb::plan
