#pragma once
// Finds the AMD GPUs of this machine that a program sees, and makes their meter (gpu_meter.h).
//
// Visible devices (ROCm, "GPU isolation techniques"): ROCR_VISIBLE_DEVICES holds indices or UUIDs
// ("GPU-" and the unique id) and is applied first; HIP_VISIBLE_DEVICES, or CUDA_VISIBLE_DEVICES if
// that is not set, then holds indices into the remaining GPUs. The first entry that names no GPU
// ends a list. Indices count in the order of ROCm SMI, by PCI address.

#include <optional>
#include <string>
#include <vector>

#include "meter/gpu/nvml.h"

namespace ebb::meter {

struct RocmVisible {
  std::optional<std::string> rocr;  ///< ROCR_VISIBLE_DEVICES
  std::optional<std::string> hip;   ///< HIP_VISIBLE_DEVICES, else CUDA_VISIBLE_DEVICES
};

/// Indices into `uuids`, ascending, each once; adds notes on entries that name no GPU.
std::vector<std::size_t> SelectRocmGpus(const std::vector<std::string>& uuids,
                                        const RocmVisible& visible,
                                        std::vector<std::string>& notes);

GpuScan ScanRocmGpus(const std::vector<std::string>& rocm_libraries, const RocmVisible& visible);

}  // namespace ebb::meter
