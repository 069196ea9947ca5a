#pragma once
// The GPUs a CUDA program sees with a value of CUDA_VISIBLE_DEVICES (CUDA C programming guide,
// "CUDA environment variables"; MIG user guide, "CUDA visible devices"): indices, UUIDs or unique
// beginnings of them, MIG slices by UUID ("MIG-..."), by GPU and instance
// ("MIG-GPU-<uuid>/<gpu instance>/<compute instance>"), or as containers number them ("0:1", slice
// 1 of GPU 0). Nothing after the first entry that names no GPU is visible.

#include <optional>
#include <string>
#include <vector>

#include "meter/gpu/nvml_library.h"

namespace ebb::meter {

/// What one entry of the list names.
struct NamedGpu {
  std::size_t index = 0;          ///< into the list of GPUs
  std::optional<MigSlice> slice;  ///< nothing: the whole GPU
};
/// Nothing: no GPU, or not one only. `devices` are those of the library, `uuids` theirs.
std::optional<NamedGpu> NameGpu(std::string_view entry,
                                const std::vector<GpuLibrary::Device>& devices,
                                const std::vector<std::string>& uuids, const NvmlLibrary& library);

/// The entries that count: all before the first that ends the list ("-1", "NoDevFiles", nothing).
std::vector<std::string> VisibleEntries(const std::string& cuda_visible_devices);

struct VisibleGpu {
  std::size_t index = 0;  ///< into the list of GPUs
  double share = 1;       ///< of the GPU; below 1 for MIG slices
};

struct GpuSelection {
  std::vector<VisibleGpu> gpus;  ///< ascending, each once
  std::vector<std::string> notes;
};

/// Absent: all; empty: none.
GpuSelection SelectGpus(const std::vector<GpuLibrary::Device>& devices,
                        const std::vector<std::string>& uuids,
                        const std::optional<std::string>& cuda_visible_devices,
                        const NvmlLibrary& library);

/// The one UUID that begins so; nothing if there is none or several.
std::optional<std::size_t> FindUnique(const std::vector<std::string>& uuids,
                                      std::string_view beginning);

}  // namespace ebb::meter
