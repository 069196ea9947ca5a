#pragma once
// What there is of GPUs to hand out: each device that a program can have to itself, under the name
// that CUDA_VISIBLE_DEVICES takes. Where a GPU is divided (Multi-Instance GPU) these are its
// instances, as CUDA can use nothing else of it.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ebb::meter {

struct GpuDevice {
  std::string uuid;       ///< "GPU-..." or "MIG-..."
  std::string model;      ///< "NVIDIA L4"; of an instance "NVIDIA A100-SXM4-40GB MIG 1g.5gb"
  std::size_t index = 0;  ///< of the GPU, as nvidia-smi counts: in PCI bus order
  std::string card_uuid;  ///< of the GPU that it is, or is a part of
  std::string card_model;
  std::optional<double> share;  ///< of the GPU; 1 for a whole one, nothing where no driver says it
};

struct GpuInventory {
  std::vector<GpuDevice> devices;  ///< in PCI bus order
  std::vector<std::string> notes;  ///< what is there and cannot be handed out
};

struct GpuSearch {
  std::string nvml_library = "libnvidia-ml.so.1";
  /// Of the environment that this process was given: what is outside it belongs to others.
  std::optional<std::string> cuda_visible_devices;
  /// Only these: numbers as nvidia-smi counts, UUIDs or unique beginnings of them; a divided GPU
  /// stands for all its instances. Empty: all.
  std::vector<std::string> names;
};

/// kUnavailable: no NVML, or no driver. kUsage: a name that names nothing; says what is there.
Result<GpuInventory> FindGpus(const GpuSearch& search);

}  // namespace ebb::meter
