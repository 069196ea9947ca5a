#pragma once
// Slurm by its commands: squeue, sinfo, sacct, sbatch, scontrol and scancel, looked up in PATH.
// They read SLURM_CONF as people's own calls do.

#include <functional>
#include <memory>

#include "platform/program_output.h"
#include "slurm/client/slurm_client.h"

namespace ebb::slurm {

/// Runs a command of Slurm to its end; platform::RunToEnd, or a test's stand-in.
using RunCommand = std::function<Result<platform::ProgramEnd>(const std::vector<std::string>&)>;

/// Runs commands on this machine, with times in seconds since 1970. Each may take 30 s: Slurm's
/// commands give up by themselves after about 10 s without an answer.
RunCommand RunOnThisMachine();

/// True if these errors of a command of Slurm say that the controller does not answer.
bool SaysAway(const std::string& errors);

std::unique_ptr<SlurmClient> MakeSlurmCommands(RunCommand run);

}  // namespace ebb::slurm
