#pragma once
// The GPUs that can be handed out: each device that a program can have to itself, under the name
// that CUDA_VISIBLE_DEVICES takes. The devices of a divided GPU (Multi-Instance GPU) are its
// instances, because CUDA cannot use any other part of it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/devices/device_profile.h"

namespace ebb::meter {

struct GpuDevice {
  std::string uuid;       ///< "GPU-..." or "MIG-..."
  std::string model;      ///< "NVIDIA L4"; for an instance "NVIDIA A100-SXM4-40GB MIG 1g.5gb"
  std::size_t index = 0;  ///< number of the GPU as nvidia-smi counts: in PCI bus order
  std::string card_uuid;  ///< UUID of the GPU that the device is, or is a part of
  std::string card_model;
  /// Share of the GPU: 1 for a whole one; nullopt if no driver reports it.
  std::optional<double> share;
  std::string fault{};  ///< reason why no program can use the device; empty: it answers
};

/// The value of a GPU's energy counter.
struct CardEnergy {
  std::string uuid;
  std::int64_t microjoules = 0;
};

struct GpuInventory {
  std::vector<GpuDevice> devices;      ///< in PCI bus order
  std::vector<std::string> notes;      ///< devices that are there but cannot be handed out, and why
  std::vector<std::string> cards;      ///< UUIDs of all GPUs, hidden ones included
  std::vector<CardEnergy> energies{};  ///< values of the GPUs that have a counter
  /// UUIDs that the `names` of the search stand for. A divided GPU has the UUID of the whole GPU.
  std::vector<std::string> chosen;
  /// The first of `names` that names nothing, and the names that exist.
  std::optional<Error> unknown_name;
};

struct GpuSearch {
  std::string nvml_library = "libnvidia-ml.so.1";
  /// CUDA_VISIBLE_DEVICES of this process's environment. Devices outside it belong to others.
  std::optional<std::string> cuda_visible_devices;
  /// Limits the search to these: numbers as nvidia-smi counts, UUIDs or unique beginnings of them.
  /// A divided GPU stands for all its instances. Empty: all.
  std::vector<std::string> names;
};

/// Fails with kUnavailable if there is no NVML (NvmlLibrary::IsInstalled) or it does not start, and
/// with kUsage if a name names nothing; the message lists the names that exist.
Result<GpuInventory> FindGpus(const GpuSearch& search);
/// Finds all devices that are not hidden, whatever the names of the search. Fails with kUnavailable
/// only.
Result<GpuInventory> FindAllGpus(const GpuSearch& search);

/// The profile of a device, from `own` or the built-in table. An instance has its share of the
/// profile of the whole GPU.
core::DeviceProfile ProfileOf(const GpuDevice& device, std::span<const core::DeviceProfile> own);

}  // namespace ebb::meter
