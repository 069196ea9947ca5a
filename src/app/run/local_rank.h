#pragma once
// Ranks: the processes that a launcher (torchrun, srun, mpirun) has started on this machine for one
// job. Each rank measures itself, and what the ranks share must be counted once: local rank 0
// counts the machine, and the first rank that claims a GPU counts that GPU.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/options/run_options.h"
#include "core/run/run.h"
#include "platform/claimed_name.h"

namespace ebb::app {

struct LocalRank {
  int rank = 0;
  std::string variable;  ///< the variable that gives the rank, such as "LOCAL_RANK"
  std::string job;       ///< the same for all ranks of a job on this machine, and for no other job
};

using Environment = std::function<const char*(const char* name)>;
/// Nothing if no launcher says that this process is a rank.
std::optional<LocalRank> FindLocalRank(const Environment& variable);
/// Reads the environment of this process.
std::optional<LocalRank> FindLocalRank();

/// True if another rank counts everything that `scope` covers.
bool IsCountedElsewhere(const std::optional<LocalRank>& rank, core::MeterScope scope);

/// For people: "local rank 0 of this job counts the machine (LOCAL_RANK is 2)".
std::string WhoCounts(const LocalRank& rank);

/// The GPUs that this rank counts, held until it has stopped.
struct ClaimedGpus {
  std::vector<platform::ClaimedName> held;
  std::vector<std::string> elsewhere;  ///< GPUs that other ranks of the job count
};
/// Leaves in `options` only the GPUs that no other rank of the job has claimed.
ClaimedGpus ClaimGpus(const LocalRank& rank, RunOptions& options);

}  // namespace ebb::app
