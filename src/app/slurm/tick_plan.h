#pragma once
// Plans the waiting jobs of one user in Slurm anew, for `ebb slurm tick`: which of them should
// start at another time. Only jobs that have asked for Ebb and wait for their begin time are moved;
// a job that is held, has a reservation or a dependency, may already start, or is moved by a
// service, stays as it is. Pure.

#include <optional>
#include <string>
#include <vector>

#include "core/jobs/tier.h"
#include "core/signal/intensity.h"
#include "slurm/client/slurm_job.h"

namespace ebb::app {

struct TickChange {
  std::string id;     ///< the id that Slurm takes for the whole job
  std::string name;   ///< name of the job
  Time from{}, to{};  ///< its start until now, and from now on; `to` is at most `latest`
  Time latest{};
  std::optional<Intensity> expected_from, expected_to;  ///< expected means over the run
  bool makes_room = false;  ///< it moves because not all jobs have room at their present starts
};

/// The changes, the earliest new start first. view.now is the moment. Without `nodes` the cluster
/// has room for everything; with them, no more is moved to a time than fits at that time, and no
/// more is started at once than is free.
std::vector<TickChange> PlanTick(const std::vector<slurm::SlurmJob>& pending,
                                 const std::vector<slurm::SlurmNode>& nodes,
                                 const core::SignalView& view, Time next_change,
                                 const std::vector<core::Tier>& tiers = core::PublishedTiers());

}  // namespace ebb::app
