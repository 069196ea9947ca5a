#pragma once
// Where the jobs of a sweep run: this machine as one site with one pool of slots, CPUs or GPUs.

#include <string>
#include <vector>

#include "base/result.h"
#include "core/cluster.h"
#include "core/job.h"

namespace ebb::cli {

/// As given on the command line.
struct DeviceWish {
  std::string slots;  ///< how many programs at a time on the CPU; empty: as many as a job takes
  std::string gpus;   ///< names for CUDA_VISIBLE_DEVICES with commas between
};

struct Devices {
  core::Cluster cluster;
  std::vector<std::vector<std::string>> gpus;  ///< as LocalExecutorOptions::gpus
};

Result<Devices> MakeDevices(const DeviceWish& wish, int devices_per_job, const core::Site& site);

/// An Error names every job whose deadline cannot be kept: refused now rather than when half of the
/// sweep has run.
Status CheckFeasible(const std::vector<core::Job>& jobs, const core::Cluster& cluster, Time now);

}  // namespace ebb::cli
