#pragma once
// When and in which cloud region each task is to run: the planner of the service over the regions
// as sites, and for each task the other regions, cleanest first, for the case that the first one
// has no machine. Pure.

#include <string>
#include <vector>

#include "base/result.h"
#include "core/jobs/job.h"
#include "core/signal/intensity.h"
#include "sweep/skypilot_task.h"

namespace ebb::app {

struct RegionGrid {
  std::string region;     ///< "aws/eu-north-1"
  core::SignalView view;  ///< the signal of its grid zone
};

/// The starts of `jobs`, in their order. `regions` are seen at the same moment, which is that of
/// the plan; there is at least one. `at_once`: jobs that may run in one region at a time; 0: no
/// limit. An Error if the planner does not take a job.
Result<std::vector<sweep::CloudStart>> PlanRegions(std::vector<core::Job> jobs,
                                                   const std::vector<RegionGrid>& regions,
                                                   int at_once);

}  // namespace ebb::app
