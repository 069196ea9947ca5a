#pragma once
// What there is of GPUs to hand out: each device that a program can have to itself, under the name
// that CUDA_VISIBLE_DEVICES takes. Where a GPU is divided (Multi-Instance GPU) these are its
// instances, as CUDA can use nothing else of it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/device_profile.h"

namespace ebb::meter {

struct GpuDevice {
  std::string uuid;       ///< "GPU-..." or "MIG-..."
  std::string model;      ///< "NVIDIA L4"; of an instance "NVIDIA A100-SXM4-40GB MIG 1g.5gb"
  std::size_t index = 0;  ///< of the GPU, as nvidia-smi counts: in PCI bus order
  std::string card_uuid;  ///< of the GPU that it is, or is a part of
  std::string card_model;
  std::optional<double> share;  ///< of the GPU; 1 for a whole one, nothing where no driver says it
  std::string fault{};          ///< why no program can use it; empty: it answers
};

/// What the energy counter of a GPU shows.
struct CardEnergy {
  std::string uuid;
  std::int64_t microjoules = 0;
};

struct GpuInventory {
  std::vector<GpuDevice> devices;      ///< in PCI bus order
  std::vector<std::string> notes;      ///< what is there and cannot be handed out
  std::vector<std::string> cards;      ///< UUIDs of all GPUs that are there, hidden ones included
  std::vector<CardEnergy> energies{};  ///< of those that have a counter
  /// What `names` of the search mean: UUIDs; of a divided GPU, that of the GPU.
  std::vector<std::string> chosen;
  std::optional<Error> unknown_name;  ///< one of `names` that names nothing; says what is there
};

struct GpuSearch {
  std::string nvml_library = "libnvidia-ml.so.1";
  /// Of the environment that this process was given: what is outside it belongs to others.
  std::optional<std::string> cuda_visible_devices;
  /// Only these: numbers as nvidia-smi counts, UUIDs or unique beginnings of them; a divided GPU
  /// stands for all its instances. Empty: all.
  std::vector<std::string> names;
};

/// kUnavailable: no NVML (NvmlLibrary::IsInstalled), or it does not start. kUsage: a name that
/// names nothing; says what is there.
Result<GpuInventory> FindGpus(const GpuSearch& search);
/// The same, with all devices that are not hidden, whatever the names. kUnavailable only.
Result<GpuInventory> FindAllGpus(const GpuSearch& search);

/// What is known of a device: from `own`, the built-in table, and of an instance its part.
core::DeviceProfile ProfileOf(const GpuDevice& device, std::span<const core::DeviceProfile> own);

}  // namespace ebb::meter
