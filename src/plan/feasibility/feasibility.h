#pragma once
// Checks at submission: whether a job makes sense by itself, and whether its deadline can be met
// beside what already runs and waits. Both name what is wrong, where, and what would be right. Not
// a decision about when to run. Pure; any thread.

#include "base/result.h"
#include "core/cluster.h"
#include "core/job.h"
#include "plan/policy.h"

namespace ebb::plan {

/// What is wrong with the job whatever else is queued: kConfiguration for values that mean nothing
/// (zero run time, NaN power, unknown site or model), kInfeasible for what no pool can do (too
/// wide, start_by before submission, finish_by before the shortest run could end).
Status CheckJob(const core::Job& job, const core::Cluster& cluster);

/// The same of a job that may be too wide for the devices that are there now: they come and go, and
/// it waits until there are enough.
Status CheckWaitingJob(const core::Job& job, const core::Cluster& cluster);

/// Whether the job's deadline can be met from queue.now on without a job of the queue missing one
/// that it could meet. `queue` does not hold the job. kInfeasible names the earliest start_by and
/// finish_by that can be met. The job has passed CheckJob. A job without a deadline always passes.
/// Uses no signal: queue.sites may be empty.
Status CheckDeadline(const core::Job& job, const Problem& queue);

}  // namespace ebb::plan
