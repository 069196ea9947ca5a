#pragma once
// Preferences of single jobs that the planner considers beside their deadlines.
//
// A priority: a job's emissions weigh four times as much as those of a job of the next lower
// priority in the queue, so that it gets the cleaner hours if both want them. Among hours that cost
// the same it takes the earlier ones.
//
// A threshold: an hour in which the site is expected to be above it costs the job three times the
// dearest hour more, so that the job runs in such hours only if its deadline and the free devices
// leave no others. Without a forecast, only the present value can be above it: the job waits for a
// value at or below the threshold, at most until its latest start.

#include "plan/policy.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// Gives the tasks their weights, and gives curves of their own to those that need them. `risk`:
/// PriceOptions::risk.
void ApplyPreferences(const Problem& problem, double risk, PlanInput& input);

}  // namespace ebb::plan
