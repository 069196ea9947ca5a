#pragma once
// Preparations of an executor of this machine before it starts an attempt: slots, devices, and the
// environment of the program. It has one feed and one list of pools.

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/devices/cluster.h"
#include "local/local_job.h"
#include "local/process/training_contract.h"
#include "meter/meters.h"
#include "runtime/signal_feed.h"

namespace ebb::local {

/// Chooses slots of the pool, from 0 on. `taken`: slots that the job may not have. An Error: the
/// job does not fit the pool, or too few are free.
Result<std::vector<int>> SlotsFor(const core::Job& job, const core::Cluster& cluster, int pool,
                                  int slots, const std::set<int>& taken);

/// Variables that make a program see these GPUs and no others. None: no GPU at all, because others
/// may hold them.
std::vector<std::pair<std::string, std::string>> DeviceEnvironment(
    const std::vector<std::string>& gpus);
/// The job with the width of a start command; 0: its own.
core::Job AtWidth(core::Job job, int devices);
/// Variables that tell a program how many devices it has: EBB_DEVICES, and for an elastic job
/// torchrun's default for its processes on this machine. Not WORLD_SIZE: without RANK and a meeting
/// place beside it, it would stop programs of one process.
std::vector<std::pair<std::string, std::string>> WidthEnvironment(
    const core::Submission& submission, std::size_t devices);
/// Limits the measurement to the devices that a program with this environment sees.
void SeeAs(const std::vector<std::pair<std::string, std::string>>& environment,
           meter::MeterOptions& meters);

/// The contract's values. `id` is the program's name. Intensities are given only if they are
/// settled at `now`.
ContractValues ContractFor(const LocalJob& job, std::string id, int attempt,
                           runtime::SignalFeed& feed, Time now);

}  // namespace ebb::local
