#pragma once
// The size of a pending job, as words of `scontrol update`. Slurm keeps a request in the form in
// which it was made (GPUs by job, by node or by task, or cores), and takes changes in that form
// only. Checked with Slurm 22.05. Pure.

#include <string>
#include <vector>

#include "base/result.h"
#include "slurm/client/slurm_job.h"

namespace ebb::slurm {

/// The job's devices by its request: GPUs, or cores if it asks for none.
int DevicesOf(const SlurmJob& job);

/// Words that give the job so many devices: {"TresPerJob=gres:gpu:2"}. An Error: why this job's
/// size cannot be changed, or not to that.
Result<std::vector<std::string>> SizeWords(const SlurmJob& job, int devices);

}  // namespace ebb::slurm
