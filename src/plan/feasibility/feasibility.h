#pragma once
// Checks at submission: if a job makes sense by itself, and if its deadline can be met beside the
// running and waiting jobs. The errors say what is wrong, where, and what would be right. These
// checks do not decide when a job runs. Pure; any thread.

#include "base/result.h"
#include "core/devices/cluster.h"
#include "core/jobs/job.h"
#include "plan/policy.h"

namespace ebb::plan {

/// Finds errors of the job that do not depend on the queue: kConfiguration for invalid values (zero
/// run time, NaN power, unknown site or model), kInfeasible for requests that no pool can satisfy
/// (too wide, start_by before submission, finish_by before the shortest run could end).
Status CheckJob(const core::Job& job, const core::Cluster& cluster);

/// Like CheckJob, but the job may be too wide for the present devices: devices come and go, and the
/// job waits until there are enough.
Status CheckWaitingJob(const core::Job& job, const core::Cluster& cluster);

/// Checks if the job's deadline can be met from queue.now on, without making a job of the queue
/// miss a deadline that it could meet. `queue` must not contain the job, and the job must have
/// passed CheckJob. kInfeasible names the earliest start_by and finish_by that can be met. A job
/// without a deadline always passes. Uses no signal: queue.sites may be empty.
Status CheckDeadline(const core::Job& job, const Problem& queue);

}  // namespace ebb::plan
