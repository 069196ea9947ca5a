#pragma once
// What an executor of this machine looks at before it starts an attempt, and what it tells the
// program. One feed, one list of pools.

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/cluster.h"
#include "local/local_job.h"
#include "local/training_contract.h"
#include "meter/meters.h"
#include "runtime/signal_feed.h"

namespace ebb::local {

/// Of the pool's `slots`, from 0 on. `taken`: those that it may not have. An Error where the job
/// does not fit the pool, or too few are free.
Result<std::vector<int>> SlotsFor(const core::Job& job, const core::Cluster& cluster, int pool,
                                  int slots, const std::set<int>& taken);

/// What CUDA_VISIBLE_DEVICES names them. `gpus`: by pool, one name for each slot; empty: no GPUs.
std::vector<std::string> GpusOf(const std::vector<std::vector<std::string>>& gpus, int pool,
                                const std::vector<int>& slots);

/// What makes a program see these GPUs and no others; none: no GPU at all, as others may hold them.
std::vector<std::pair<std::string, std::string>> DeviceEnvironment(
    const std::vector<std::string>& gpus);
/// What a program with this environment sees is what is measured.
void SeeAs(const std::vector<std::pair<std::string, std::string>>& environment,
           meter::MeterOptions& meters);

/// `id`: what the program is called. Intensities only where they are settled at `now`.
ContractValues ContractFor(const LocalJob& job, std::string id, int attempt,
                           runtime::SignalFeed& feed, Time now);

}  // namespace ebb::local
