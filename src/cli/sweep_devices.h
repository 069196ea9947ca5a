#pragma once
// Where the jobs of a sweep or of the service run: this machine as one site. Its GPUs, a pool for
// each model, every slot a GPU under its UUID; or slots of the CPU where there is none.

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/cluster.h"
#include "core/device_profile.h"
#include "core/job.h"
#include "meter/gpu_inventory.h"

namespace ebb::cli {

/// As given on the command line.
struct DeviceWish {
  std::string slots;  ///< how many programs at a time on the CPU; empty: as many as a job takes
  std::string gpus;   ///< names for CUDA_VISIBLE_DEVICES with commas between; empty: all there are
  std::vector<core::DeviceProfile> profiles{};  ///< over the built-in table
};

struct Devices {
  core::Cluster cluster;
  std::vector<std::vector<std::string>> gpus;  ///< as LocalExecutorOptions::gpus
  std::vector<core::DeviceProfile> profiles;   ///< by pool, of GPUs
  std::vector<std::string> notes;              ///< for people: what is not used, and why
};

/// What is known of a device: from the file, the built-in table, and of an instance its part.
core::DeviceProfile ProfileOf(const meter::GpuDevice& device,
                              std::span<const core::DeviceProfile> own);

/// Without a wish: the GPUs that NVML finds and CUDA_VISIBLE_DEVICES of this process leaves, or
/// the CPU. An Error names what is there. Speeds and powers of pools are relative to the first one.
Result<Devices> MakeDevices(const DeviceWish& wish, int devices_per_job, const core::Site& site);
/// "2 x NVIDIA L4, 4 x NVIDIA A10"; pools without devices are left out.
std::string Describe(const core::Cluster& cluster);

/// An Error names every job whose deadline cannot be kept: refused now rather than when half of the
/// sweep has run.
Status CheckFeasible(const std::vector<core::Job>& jobs, const core::Cluster& cluster, Time now);

}  // namespace ebb::cli
