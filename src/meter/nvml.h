#pragma once
// Finds the NVIDIA GPUs of this machine that a program sees, and makes their meter: the driver's
// energy counter where the GPU has one (Volta and later), otherwise power readings ten times per
// second (gpu_meter.h).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meter/gpu_meter.h"

namespace ebb::meter {

struct GpuScan {
  std::unique_ptr<Meter> meter;         ///< null where there is no GPU to meter
  std::vector<std::string> gpu_models;  ///< of the metered GPUs
  std::vector<GpuHolding> holdings;     ///< the same GPUs, as their readings name them
  std::vector<std::string> notes;
};

/// Meters the visible GPUs (cuda_visible.h) of this machine.
GpuScan ScanGpus(const std::string& nvml_library,
                 const std::optional<std::string>& cuda_visible_devices);

/// The common part of all vendors: meters those of `gpus` that report something.
GpuScan MeterGpus(std::unique_ptr<GpuLibrary> library, std::vector<MeteredGpu> gpus,
                  std::vector<std::string> notes);

}  // namespace ebb::meter
