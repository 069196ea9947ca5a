#include "meter/cuda_visible.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace ebb::meter {
namespace {

using Devices = std::vector<GpuLibrary::Device>;
using Uuids = std::vector<std::string>;

// One entry of the list: the GPU, and the slice of it where one is named.
struct Named {
  std::size_t index = 0;
  bool is_slice = false;
  std::optional<double> share = std::nullopt;  ///< of a slice, where the driver says it
};

std::optional<unsigned> Number(std::string_view text) {
  const auto number = ParseInteger(text);
  if (!number || *number < 0 || *number > 1 << 20) return std::nullopt;
  return static_cast<unsigned>(*number);
}

std::optional<Named> SliceOf(const std::optional<MigSlice>& slice, const Uuids& uuids) {
  if (!slice) return std::nullopt;
  const auto parent = FindUnique(uuids, slice->parent_uuid);
  if (!parent) return std::nullopt;
  return Named{*parent, true, slice->share};
}

// "MIG-GPU-<uuid>/1/0", as drivers before 470 write it.
std::optional<Named> OldMigName(std::string_view entry, const Devices& devices, const Uuids& uuids,
                                const NvmlLibrary& library) {
  entry.remove_prefix(std::string_view("MIG-").size());
  const auto parts = Split(entry, '/');
  const auto parent = FindUnique(uuids, parts[0]);
  const auto gpu_instance = parts.size() == 3 ? Number(parts[1]) : std::nullopt;
  const auto compute_instance = parts.size() == 3 ? Number(parts[2]) : std::nullopt;
  if (!parent || !gpu_instance || !compute_instance) return std::nullopt;
  const auto slice = library.MigOf(devices[*parent], *gpu_instance, *compute_instance);
  return Named{*parent, true, slice ? slice->share : std::nullopt};
}

// "0:1": slice 1 of GPU 0.
std::optional<Named> ContainerName(std::string_view entry, const Devices& devices,
                                   const Uuids& uuids, const NvmlLibrary& library) {
  const auto parts = Split(entry, ':');
  const auto gpu = Number(parts[0]);
  const auto slice = parts.size() == 2 ? Number(parts[1]) : std::nullopt;
  if (!gpu || !slice || *gpu >= devices.size()) return std::nullopt;
  return SliceOf(library.MigAt(devices[*gpu], *slice), uuids);
}

std::optional<Named> Resolve(std::string_view entry, const Devices& devices, const Uuids& uuids,
                             const NvmlLibrary& library) {
  if (const auto index = Number(entry))
    return *index < devices.size() ? std::optional(Named{*index}) : std::nullopt;
  if (entry.starts_with("MIG-GPU-")) return OldMigName(entry, devices, uuids, library);
  if (entry.starts_with("MIG-")) return SliceOf(library.FindMig(std::string(entry)), uuids);
  if (entry.find(':') != std::string_view::npos)
    return ContainerName(entry, devices, uuids, library);
  if (!entry.starts_with("GPU-")) return std::nullopt;
  const auto index = FindUnique(uuids, entry);
  return index ? std::optional(Named{*index}) : std::nullopt;
}

std::string NoSuchGpu(std::string_view entry) {
  return "CUDA_VISIBLE_DEVICES: \"" + std::string(entry) +
         "\" names no GPU of this machine; it and what follows are not metered, as CUDA does not "
         "use them either";
}

}  // namespace

std::optional<std::size_t> FindUnique(const std::vector<std::string>& uuids,
                                      std::string_view beginning) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    if (!uuids[i].starts_with(beginning)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

GpuSelection SelectGpus(const Devices& devices, const Uuids& uuids,
                        const std::optional<std::string>& cuda_visible_devices,
                        const NvmlLibrary& library) {
  GpuSelection selection;
  if (!cuda_visible_devices) {
    for (std::size_t i = 0; i < devices.size(); ++i) selection.gpus.push_back({i, 1});
    return selection;
  }
  std::map<std::size_t, double> shares;
  for (const std::string_view field : Split(*cuda_visible_devices, ',')) {
    const std::string_view entry = Trim(field);
    if (entry.empty() || entry == "-1" || entry == "NoDevFiles") break;
    const auto named = Resolve(entry, devices, uuids, library);
    if (!named) {
      selection.notes.push_back(NoSuchGpu(entry));
      break;
    }
    if (named->is_slice && !named->share)
      selection.notes.push_back("GPU " + uuids[named->index] +
                                " is metered as a whole: its driver does not say how much of it "
                                "the slice is");
    double& share = shares[named->index];
    share = std::min(1.0, share + named->share.value_or(1));
  }
  for (const auto& [index, share] : shares) selection.gpus.push_back({index, share});
  return selection;
}

}  // namespace ebb::meter
