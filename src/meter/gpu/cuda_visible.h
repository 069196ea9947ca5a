#pragma once
// The GPUs that a CUDA program sees with a value of CUDA_VISIBLE_DEVICES (CUDA C programming guide,
// "CUDA environment variables"; MIG user guide, "CUDA visible devices"): indices, UUIDs or unique
// beginnings of them, MIG slices by UUID ("MIG-..."), by GPU and instance ("MIG-GPU-<uuid>/<gpu
// instance>/<compute instance>"), or as containers number them ("0:1", slice 1 of GPU 0). The first
// entry that names no GPU ends the list.

#include <optional>
#include <string>
#include <vector>

#include "meter/gpu/nvml_library.h"

namespace ebb::meter {

/// The GPU or slice that one entry of the list names.
struct NamedGpu {
  std::size_t index = 0;          ///< position in the list of GPUs
  std::optional<MigSlice> slice;  ///< nullopt: the whole GPU
};
/// The GPU or slice that `entry` names; nullopt if the entry names none, or more than one.
/// `devices` are the GPUs of the library, `uuids` their UUIDs.
std::optional<NamedGpu> NameGpu(std::string_view entry,
                                const std::vector<GpuLibrary::Device>& devices,
                                const std::vector<std::string>& uuids, const NvmlLibrary& library);

/// The entries that count: all before the first that ends the list ("-1", "NoDevFiles", nothing).
std::vector<std::string> VisibleEntries(const std::string& cuda_visible_devices);

struct VisibleGpu {
  std::size_t index = 0;  ///< position in the list of GPUs
  double share = 1;       ///< charged share of the GPU; below 1 for MIG slices
};

struct GpuSelection {
  std::vector<VisibleGpu> gpus;  ///< in ascending order, each once
  std::vector<std::string> notes;
};

/// The GPUs that a value of CUDA_VISIBLE_DEVICES selects: all if it is absent, none if it is empty.
GpuSelection SelectGpus(const std::vector<GpuLibrary::Device>& devices,
                        const std::vector<std::string>& uuids,
                        const std::optional<std::string>& cuda_visible_devices,
                        const NvmlLibrary& library);

/// The one UUID with this beginning; nullopt if none or several have it.
std::optional<std::size_t> FindUnique(const std::vector<std::string>& uuids,
                                      std::string_view beginning);

}  // namespace ebb::meter
