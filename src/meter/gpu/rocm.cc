#include "meter/gpu/rocm.h"

#include <algorithm>

#include "base/text.h"
#include "meter/gpu/cuda_visible.h"
#include "meter/gpu/rocm_library.h"

namespace ebb::meter {
namespace {

// ROCm writes unique ids with small digits in some places and capital ones in others.
std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<std::size_t> Resolve(std::string_view entry, const std::vector<std::string>& uuids,
                                   bool takes_uuids) {
  if (const auto index = ParseInteger(entry)) {
    if (*index < 0 || *index >= static_cast<long long>(uuids.size())) return std::nullopt;
    return static_cast<std::size_t>(*index);
  }
  const std::string name = Lower(entry);
  if (!takes_uuids || !name.starts_with("gpu-")) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& uuid : uuids) names.push_back(Lower(uuid));
  return FindUnique(names, name);
}

// The entries of one variable, as positions in `from`.
std::vector<std::size_t> Apply(const char* variable, const std::optional<std::string>& value,
                               const std::vector<std::string>& from, bool takes_uuids,
                               std::vector<std::string>& notes) {
  std::vector<std::size_t> chosen;
  if (!value) {
    for (std::size_t i = 0; i < from.size(); ++i) chosen.push_back(i);
    return chosen;
  }
  for (const std::string_view field : Split(*value, ',')) {
    const std::string_view entry = Trim(field);
    if (entry.empty() || entry == "-1") break;
    const auto index = Resolve(entry, from, takes_uuids);
    if (!index) {
      notes.push_back(std::string(variable) + ": \"" + std::string(entry) +
                      "\" names no AMD GPU of this machine; it and what follows are not metered, "
                      "as ROCm does not use them either");
      break;
    }
    if (std::find(chosen.begin(), chosen.end(), *index) == chosen.end()) chosen.push_back(*index);
  }
  return chosen;
}

}  // namespace

std::vector<std::size_t> SelectRocmGpus(const std::vector<std::string>& uuids,
                                        const RocmVisible& visible,
                                        std::vector<std::string>& notes) {
  const auto exposed = Apply("ROCR_VISIBLE_DEVICES", visible.rocr, uuids, true, notes);
  std::vector<std::string> left;
  for (const std::size_t i : exposed) left.push_back(uuids[i]);
  std::vector<std::size_t> selected;
  for (const std::size_t i : Apply("HIP_VISIBLE_DEVICES", visible.hip, left, false, notes))
    selected.push_back(exposed[i]);
  std::sort(selected.begin(), selected.end());
  return selected;
}

GpuScan ScanRocmGpus(const std::vector<std::string>& rocm_libraries, const RocmVisible& visible) {
  auto library = RocmLibrary::Open(rocm_libraries);
  if (!library) {
    GpuScan scan;
    scan.notes.push_back("AMD GPUs are not metered: " + library.error().Message());
    return scan;
  }
  const auto devices = (*library)->Devices();
  std::vector<std::string> uuids, notes;
  for (const auto device : devices) uuids.push_back((*library)->Uuid(device));
  std::vector<MeteredGpu> gpus;
  for (const std::size_t i : SelectRocmGpus(uuids, visible, notes))
    gpus.push_back({devices[i], uuids[i], (*library)->Name(devices[i])});
  return MeterGpus(std::move(*library), std::move(gpus), std::move(notes));
}

}  // namespace ebb::meter
