#include "meter/gpu/cuda_visible.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace ebb::meter {
namespace {

using Devices = std::vector<GpuLibrary::Device>;
using Uuids = std::vector<std::string>;

std::optional<unsigned> Number(std::string_view text) {
  const auto number = ParseInteger(text);
  if (!number || *number < 0 || *number > 1 << 20) return std::nullopt;
  return static_cast<unsigned>(*number);
}

std::optional<NamedGpu> SliceOf(std::optional<MigSlice> slice, const Uuids& uuids) {
  if (!slice) return std::nullopt;
  const auto parent = FindUnique(uuids, slice->parent_uuid);
  if (!parent) return std::nullopt;
  return NamedGpu{*parent, std::move(slice)};
}

// Parses "MIG-GPU-<uuid>/1/0", as drivers before 470 write it.
std::optional<NamedGpu> OldMigName(std::string_view entry, const Devices& devices,
                                   const Uuids& uuids, const NvmlLibrary& library) {
  entry.remove_prefix(std::string_view("MIG-").size());
  const auto parts = Split(entry, '/');
  const auto parent = FindUnique(uuids, parts[0]);
  const auto gpu_instance = parts.size() == 3 ? Number(parts[1]) : std::nullopt;
  const auto compute_instance = parts.size() == 3 ? Number(parts[2]) : std::nullopt;
  if (!parent || !gpu_instance || !compute_instance) return std::nullopt;
  auto slice = library.MigOf(devices[*parent], *gpu_instance, *compute_instance);
  return NamedGpu{*parent, slice ? *std::move(slice) : MigSlice{}};
}

// Parses "0:1": slice 1 of GPU 0.
std::optional<NamedGpu> ContainerName(std::string_view entry, const Devices& devices,
                                      const Uuids& uuids, const NvmlLibrary& library) {
  const auto parts = Split(entry, ':');
  const auto gpu = Number(parts[0]);
  const auto slice = parts.size() == 2 ? Number(parts[1]) : std::nullopt;
  if (!gpu || !slice || *gpu >= devices.size() || !devices[*gpu]) return std::nullopt;
  return SliceOf(library.MigAt(devices[*gpu], *slice), uuids);
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

std::optional<NamedGpu> NameGpu(std::string_view entry, const Devices& devices, const Uuids& uuids,
                                const NvmlLibrary& library) {
  if (const auto index = Number(entry))
    return *index < devices.size() ? std::optional(NamedGpu{*index, std::nullopt}) : std::nullopt;
  if (entry.starts_with("MIG-GPU-")) return OldMigName(entry, devices, uuids, library);
  if (entry.starts_with("MIG-")) return SliceOf(library.FindMig(std::string(entry)), uuids);
  if (entry.find(':') != std::string_view::npos)
    return ContainerName(entry, devices, uuids, library);
  if (!entry.starts_with("GPU-")) return std::nullopt;
  const auto index = FindUnique(uuids, entry);
  return index ? std::optional(NamedGpu{*index, std::nullopt}) : std::nullopt;
}

std::vector<std::string> VisibleEntries(const std::string& cuda_visible_devices) {
  std::vector<std::string> entries;
  for (const std::string_view field : Split(cuda_visible_devices, ',')) {
    const std::string_view entry = Trim(field);
    if (entry.empty() || entry == "-1" || entry == "NoDevFiles") break;
    entries.emplace_back(entry);
  }
  return entries;
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
  for (const std::string& entry : VisibleEntries(*cuda_visible_devices)) {
    const auto named = NameGpu(entry, devices, uuids, library);
    if (!named) {
      selection.notes.push_back(NoSuchGpu(entry));
      break;
    }
    if (named->slice && !named->slice->share)
      selection.notes.push_back("GPU " + uuids[named->index] +
                                " is metered as a whole: its driver does not say how much of it "
                                "the slice is");
    double& share = shares[named->index];
    share = std::min(1.0, share + (named->slice ? named->slice->share.value_or(1) : 1));
  }
  for (const auto& [index, share] : shares) selection.gpus.push_back({index, share});
  return selection;
}

}  // namespace ebb::meter
