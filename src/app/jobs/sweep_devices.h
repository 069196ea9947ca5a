#pragma once
// The devices for the jobs of a sweep or of the service: this machine as one site. Each GPU model
// is a pool, and each slot is a GPU with its UUID. A machine without GPUs has slots of the CPU.

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/devices/cluster.h"
#include "core/devices/device_profile.h"
#include "core/jobs/job.h"
#include "meter/gpu/gpu_inventory.h"
#include "service/devices/device_inventory.h"

namespace ebb::app {

struct Devices {
  core::Cluster cluster;
  std::vector<std::vector<std::string>> gpus;  ///< in the form of SupervisedExecutorOptions::gpus
  std::vector<core::DeviceProfile> profiles;   ///< profiles of GPUs, by pool
  std::vector<std::string> notes;              ///< notes for people on unused devices, with reasons
};

/// The value of --slots; `otherwise` if it is not given.
Result<int> SlotCount(const std::string& text, int otherwise);

/// The device options of a service, which looks for devices again and again.
service::DeviceOptions DeviceOptionsFor(const std::string& gpus, std::vector<std::string> names,
                                        std::vector<core::DeviceProfile> profiles);

/// Speeds and powers of pools are relative to the first one.
Devices DevicesOf(const meter::GpuInventory& inventory,
                  const std::vector<core::DeviceProfile>& profiles, const core::Site& site);

/// A text such as "2 x NVIDIA L4, 4 x NVIDIA A10"; pools without devices are left out.
std::string Describe(const core::Cluster& cluster);

/// An Error names every job whose deadline cannot be met, so that the sweep is refused now and not
/// after half of it has run.
Status CheckFeasible(const std::vector<core::Job>& jobs, const core::Cluster& cluster, Time now);

}  // namespace ebb::app
