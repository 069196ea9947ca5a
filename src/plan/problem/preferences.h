#pragma once
// What single jobs ask of the planner beside their deadlines.
//
// A priority: what a job emits weighs four times as much as what a job of the next lower priority
// of the queue does, so that it gets the cleaner hours where both want them; and of hours that cost
// the same it takes the earlier ones.
//
// A threshold: an hour in which the site is expected above it costs the job as much more as three
// of the dearest hours do, so that it runs in such hours only where its deadline, and the devices
// that are free, leave no others. Without a forecast only what is known now is above it: the job
// waits for a value at or below it, at most until its latest start.

#include "plan/policy.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

/// Gives the tasks their weights, and those that differ from others curves of their own. `risk`:
/// PriceOptions::risk.
void ApplyPreferences(const Problem& problem, double risk, PlanInput& input);

}  // namespace ebb::plan
