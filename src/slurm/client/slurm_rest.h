#pragma once
// Slurm by slurmrestd: jobs, nodes, changes and cancellations, and accounting if it serves it.
//
// Slurm's commands do the rest: the cluster's name, submissions (whose options are those of
// sbatch), signals to a whole job, and the requeue in held state, which no version of the API has
// in one request. They also give the jobs while an array waits whose elements slurmrestd does not
// list, and jobs from accounting if slurmrestd does not serve it.

#include <memory>

#include "slurm/client/rest_transport.h"
#include "slurm/client/slurm_client.h"

namespace ebb::slurm {

/// The version of the API is found out with the first request, and again when Slurm was upgraded.
std::unique_ptr<SlurmClient> MakeSlurmRest(RestTransport transport,
                                           std::unique_ptr<SlurmClient> commands);

}  // namespace ebb::slurm
