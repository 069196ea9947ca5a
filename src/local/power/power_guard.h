#pragma once
// The power limits of one attempt's GPUs. The limits that they had are written to attempt-N.power
// before they are changed, and put back when the attempt ends; the file is removed when they are. A
// process that finds such a file (the supervisor was killed) restores those limits. Private to
// local/.

#include <memory>
#include <string>
#include <vector>

#include "core/devices/power_cap.h"
#include "local/files/attempt_files.h"
#include "meter/gpu/power_limit.h"

namespace ebb::local {

class PowerGuard {
 public:
  /// `gpus` are named as in AttemptPlan::gpus.
  PowerGuard(AttemptPaths paths, std::vector<std::string> gpus, std::string nvml_library)
      : paths_(std::move(paths)), gpus_(std::move(gpus)), nvml_library_(std::move(nvml_library)) {}
  PowerGuard(const PowerGuard&) = delete;
  PowerGuard& operator=(const PowerGuard&) = delete;
  ~PowerGuard() { std::ignore = PutBack(); }

  /// See meter::CheckCommonPower.
  Result<meter::CommonPowerRange> Check();
  /// Limits the power; may be called again. An Error: nothing was changed. `warnings`: which GPUs
  /// cannot be limited, or not as far as asked.
  Status Cap(const core::PowerCap& cap, std::vector<std::string>& warnings);
  /// Restores the limits. An Error: that failed; the file stays for the next attempt to do so.
  Status PutBack();

 private:
  Status Open();

  AttemptPaths paths_;
  std::vector<std::string> gpus_;
  std::string nvml_library_;
  std::unique_ptr<meter::NvmlLibrary> library_;  // open from the first use on
  std::vector<meter::PowerLimit> changed_;       // with the limits before the first change
};

/// Restores the limits in the attempt's file, and removes it; does nothing if there is no file.
Status RestorePower(const AttemptPaths& paths, const std::string& nvml_library);

}  // namespace ebb::local
