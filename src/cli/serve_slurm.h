#pragma once
// `ebb serve --slurm`: the flags of a service whose jobs run in a Slurm cluster, and the executor
// that they make.

#include <memory>
#include <string>
#include <vector>

#include "cli/parser.h"
#include "core/jobs/tier.h"
#include "runtime/grid_clock.h"
#include "service/service.h"

namespace ebb::cli {

struct SlurmFlags {
  bool is_on = false;
  std::vector<std::string> partitions, accounts, qos, sbatch;
  std::string user, every, max_delay;
  std::string rest, token_file, token_user;
  bool on_cores = false;
};
void AddSlurmFlags(Command& command, std::shared_ptr<SlurmFlags> flags);

/// Has the service run its jobs in Slurm. The clock and the signals must outlive the service. An
/// Error: a flag is wrong.
Status UseSlurm(const SlurmFlags& flags, const std::vector<core::Tier>& tiers,
                const runtime::GridClock& clock, platform::ProcessSignals& signals,
                service::ServiceOptions& service);

}  // namespace ebb::cli
