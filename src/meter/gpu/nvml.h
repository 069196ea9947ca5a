#pragma once
// Finds the NVIDIA GPUs of this machine that a program sees, and makes their meter: the driver's
// energy counter if the GPU has one (Volta and later), otherwise power readings ten times per
// second (gpu_meter.h).

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "meter/gpu/gpu_meter.h"

namespace ebb::meter {

struct GpuScan {
  std::unique_ptr<Meter> meter;         ///< null if there is no GPU to meter
  std::vector<std::string> gpu_models;  ///< models of the metered GPUs
  std::vector<GpuHolding> holdings;     ///< the metered GPUs, under their names in readings
  std::vector<std::string> notes;
};

/// Meters the visible GPUs (cuda_visible.h) of this machine. The energy of a GPU that reports
/// neither energy nor power is estimated if its maximum power is known from `own_profiles` or the
/// built-in table.
GpuScan ScanGpus(const std::string& nvml_library,
                 const std::optional<std::string>& cuda_visible_devices,
                 std::span<const core::DeviceProfile> own_profiles = {});

/// Makes the meter of those `gpus` that report something. All vendors share this function.
GpuScan MeterGpus(std::unique_ptr<GpuLibrary> library, std::vector<MeteredGpu> gpus,
                  std::vector<std::string> notes,
                  std::span<const core::DeviceProfile> own_profiles = {});

}  // namespace ebb::meter
