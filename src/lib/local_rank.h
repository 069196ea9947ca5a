#pragma once
// One of the processes that a launcher (torchrun, srun, mpirun) has started on this machine for one
// job. Each measures itself, and what they have in common must be counted once: the machine by
// local rank 0, a GPU by the first that claims it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/options/run_options.h"
#include "core/run.h"
#include "platform/claimed_name.h"

namespace ebb::lib {

struct LocalRank {
  int rank = 0;
  std::string variable;  ///< that says so: "LOCAL_RANK"
  std::string job;       ///< the same for all ranks of a job on this machine, and for no others
};

using Environment = std::function<const char*(const char* name)>;
/// Nothing where no launcher says that this process is a rank.
std::optional<LocalRank> FindLocalRank(const Environment& variable);
/// Of this process.
std::optional<LocalRank> FindLocalRank();

/// Whether another rank counts all that `scope` covers.
bool IsCountedElsewhere(const std::optional<LocalRank>& rank, core::MeterScope scope);

/// For people: "local rank 0 of this job counts the machine (LOCAL_RANK is 2)".
std::string WhoCounts(const LocalRank& rank);

/// The GPUs that this rank counts, held until it has stopped.
struct ClaimedGpus {
  std::vector<platform::ClaimedName> held;
  std::vector<std::string> elsewhere;  ///< what other ranks of the job count
};
/// Leaves in `options` only the GPUs that no other rank of the job counts already.
ClaimedGpus ClaimGpus(const LocalRank& rank, app::RunOptions& options);

}  // namespace ebb::lib
