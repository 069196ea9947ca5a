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
#include "meter/gpu/gpu_inventory.h"
#include "service/devices/device_inventory.h"

namespace ebb::app {

struct Devices {
  core::Cluster cluster;
  std::vector<std::vector<std::string>> gpus;  ///< as SupervisedExecutorOptions::gpus
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

/// "2 x NVIDIA L4, 4 x NVIDIA A10"; pools without devices are left out.
std::string Describe(const core::Cluster& cluster);

/// An Error names every job whose deadline cannot be kept: refused now rather than when half of the
/// sweep has run.
Status CheckFeasible(const std::vector<core::Job>& jobs, const core::Cluster& cluster, Time now);

}  // namespace ebb::app
