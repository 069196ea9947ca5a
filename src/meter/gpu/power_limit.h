#pragma once
// Power limits of GPUs, set for a program and put back after it. Setting them needs the permission
// that the driver gives to root (NVML: nvmlDeviceSetPowerManagementLimit); who has none runs
// uncapped. A limit holds for a whole GPU: one that is divided (MIG) is left alone, as it would
// slow the instances of others.
//
// Nothing is changed before the caller has kept what was there (PlanPowerCap, then SetPowerLimits):
// limits outlive the process that set them.

#include <string>
#include <vector>

#include "core/power_cap.h"
#include "meter/gpu/nvml_library.h"

namespace ebb::meter {

struct PowerLimit {
  std::string uuid;
  unsigned old_mw = 0;  ///< before: what is put back
  unsigned new_mw = 0;
};

struct PowerPlan {
  std::vector<PowerLimit> limits;  ///< that would change
  std::vector<std::string> notes;  ///< for people: what cannot be capped, or not so far, and why
};

/// What `cap` means for these GPUs (as CUDA_VISIBLE_DEVICES names them). Changes nothing. A cap
/// outside what a GPU allows is moved to the nearest that it does.
PowerPlan PlanPowerCap(const NvmlLibrary& library, const std::vector<std::string>& uuids,
                       const core::PowerCap& cap);
/// Sets them all, or none: where one is refused, those before it are put back. An Error says why.
Status SetPowerLimits(const NvmlLibrary& library, const std::vector<PowerLimit>& limits);
/// Puts the old limits back, as many as can be; an Error names those that could not be.
Status RestorePowerLimits(const NvmlLibrary& library, const std::vector<PowerLimit>& limits);

}  // namespace ebb::meter
