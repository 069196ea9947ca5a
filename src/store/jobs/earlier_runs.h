#pragma once
// Reads from the store's ended jobs how long a job is likely to run, for core/jobs/estimate.h.

#include <vector>

#include "core/devices/cluster.h"
#include "core/jobs/estimate.h"
#include "core/jobs/submission.h"
#include "store/database/database.h"

namespace ebb::store {

/// The newest jobs with this name that succeeded and ran the same command on as many devices under
/// the same power cap, newest first. Run times are on the grid clock, without pauses, and, as
/// powers, brought to a device of speed and power factor 1 by the pools they ran on,
/// and to the own width of an elastic job by its speed-up.
Result<std::vector<core::EarlierRun>> EarlierRuns(Database& database,
                                                  const core::Submission& submission,
                                                  const core::Cluster& cluster, int limit = 20);

}  // namespace ebb::store
