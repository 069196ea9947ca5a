#pragma once
// Where the jobs of a sweep or of the service run: this machine as one site. Its GPUs, a pool for
// each model, every slot a GPU under its UUID; or slots of the CPU where there is none.

#include <string>
#include <vector>

#include "base/result.h"
#include "core/cluster.h"
#include "core/job.h"

namespace ebb::cli {

/// As given on the command line.
struct DeviceWish {
  std::string slots;  ///< how many programs at a time on the CPU; empty: as many as a job takes
  std::string gpus;   ///< names for CUDA_VISIBLE_DEVICES with commas between; empty: all there are
};

struct Devices {
  core::Cluster cluster;
  std::vector<std::vector<std::string>> gpus;  ///< as LocalExecutorOptions::gpus
  std::vector<std::string> notes;              ///< for people: what is not used, and why
};

/// Without a wish: the GPUs that NVML finds and CUDA_VISIBLE_DEVICES of this process leaves, or
/// the CPU. An Error names what is there.
Result<Devices> MakeDevices(const DeviceWish& wish, int devices_per_job, const core::Site& site);
/// "2 x NVIDIA L4, 4 x NVIDIA A10"; pools without devices are left out.
std::string Describe(const core::Cluster& cluster);

/// An Error names every job whose deadline cannot be kept: refused now rather than when half of the
/// sweep has run.
Status CheckFeasible(const std::vector<core::Job>& jobs, const core::Cluster& cluster, Time now);

}  // namespace ebb::cli
