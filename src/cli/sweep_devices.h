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
#include "service/device_desk.h"

namespace ebb::cli {

/// As given on the command line.
struct DeviceWish {
  std::string slots;  ///< how many programs at a time on the CPU; empty: as many as a job takes
  std::string gpus;   ///< names for CUDA_VISIBLE_DEVICES with commas between; empty: all there are
  std::vector<core::DeviceProfile> profiles{};  ///< over the built-in table
  bool knows_gpus = false;                      ///< an earlier life ran on GPUs
};

struct Devices {
  core::Cluster cluster;
  std::vector<std::vector<std::string>> gpus;  ///< as LocalExecutorOptions::gpus
  std::vector<core::DeviceProfile> profiles;   ///< by pool, of GPUs
  std::vector<std::string> notes;              ///< for people: what is not used, and why
};

/// --slots; `otherwise` where it is not given.
Result<int> SlotCount(const std::string& text, int otherwise);

/// For the service, which looks again and again.
service::DeviceOptions DeviceOptionsFor(const std::string& gpus, std::vector<std::string> names,
                                        std::vector<core::DeviceProfile> profiles);

/// Speeds and powers of pools are relative to the first one.
Devices DevicesOf(const meter::GpuInventory& inventory,
                  const std::vector<core::DeviceProfile>& profiles, const core::Site& site);

/// Without a wish: the GPUs that NVML finds and CUDA_VISIBLE_DEVICES of this process leaves, or
/// the CPU where there is no NVML. An Error names what is there, or says why NVML does not answer.
Result<Devices> MakeDevices(const DeviceWish& wish, int devices_per_job, const core::Site& site);
/// "2 x NVIDIA L4, 4 x NVIDIA A10"; pools without devices are left out.
std::string Describe(const core::Cluster& cluster);

/// An Error names every job whose deadline cannot be kept: refused now rather than when half of the
/// sweep has run.
Status CheckFeasible(const std::vector<core::Job>& jobs, const core::Cluster& cluster, Time now);

}  // namespace ebb::cli
