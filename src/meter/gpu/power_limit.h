#pragma once
// Power limits of GPUs, set for a program and put back after it. Setting a limit needs the
// permission that the driver gives to root (NVML: nvmlDeviceSetPowerManagementLimit); without it
// the program runs uncapped. A limit holds for a whole GPU. A divided GPU (MIG) keeps its limit,
// because another limit would slow the instances of others.
//
// The caller keeps the old limits before it changes them (PlanPowerCap, then SetPowerLimits),
// because limits outlive the process that set them.

#include <string>
#include <vector>

#include "base/units.h"
#include "core/devices/power_cap.h"
#include "meter/gpu/nvml_library.h"

namespace ebb::meter {

struct PowerLimit {
  std::string uuid;
  unsigned old_mw = 0;  ///< limit before, which is put back later
  unsigned new_mw = 0;
};

struct PowerPlan {
  std::vector<PowerLimit> limits;  ///< limits that would change
  /// Messages for people: which GPUs cannot be capped, or not as far as asked, and why.
  std::vector<std::string> notes;
};

/// The limits that `cap` means for these GPUs, which have the names of CUDA_VISIBLE_DEVICES.
/// Changes nothing. A cap outside the range of a GPU becomes the nearest limit within it.
PowerPlan PlanPowerCap(const NvmlLibrary& library, const std::vector<std::string>& uuids,
                       const core::PowerCap& cap);
/// Sets all limits or none: if the driver refuses one, the limits set before it are put back. An
/// Error says why.
Status SetPowerLimits(const NvmlLibrary& library, const std::vector<PowerLimit>& limits);
/// Puts back as many of the old limits as possible. An Error names the GPUs whose limit was not put
/// back.
Status RestorePowerLimits(const NvmlLibrary& library, const std::vector<PowerLimit>& limits);

/// The limits that may be set on several GPUs of one model.
struct CommonPowerRange {
  std::string model;
  Power now, least;
};
/// An Error says why no limit can be found for these GPUs: they are unlike, parts of a GPU, or this
/// user may not set a limit. Sets each limit to what it is, which is how a driver is asked for
/// permission.
Result<CommonPowerRange> CheckCommonPower(const NvmlLibrary& library,
                                          const std::vector<std::string>& uuids);

}  // namespace ebb::meter
