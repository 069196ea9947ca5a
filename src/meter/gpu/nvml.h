#pragma once
// Finds the NVIDIA GPUs of this machine that a program sees, and makes their meter: the driver's
// energy counter where the GPU has one (Volta and later), otherwise power readings ten times per
// second (gpu_meter.h).

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "meter/gpu/gpu_meter.h"

namespace ebb::meter {

struct GpuScan {
  std::unique_ptr<Meter> meter;         ///< null where there is no GPU to meter
  std::vector<std::string> gpu_models;  ///< of the metered GPUs
  std::vector<GpuHolding> holdings;     ///< the same GPUs, as their readings name them
  std::vector<std::string> notes;
};

/// Meters the visible GPUs (cuda_visible.h) of this machine. One that reports neither energy nor
/// power is estimated where its maximum is known, from `own_profiles` or the built-in table.
GpuScan ScanGpus(const std::string& nvml_library,
                 const std::optional<std::string>& cuda_visible_devices,
                 std::span<const core::DeviceProfile> own_profiles = {});

/// The common part of all vendors: meters those of `gpus` that report something.
GpuScan MeterGpus(std::unique_ptr<GpuLibrary> library, std::vector<MeteredGpu> gpus,
                  std::vector<std::string> notes,
                  std::span<const core::DeviceProfile> own_profiles = {});

}  // namespace ebb::meter
