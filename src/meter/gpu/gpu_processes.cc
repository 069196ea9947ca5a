#include "meter/gpu/gpu_processes.h"

#include <utility>

namespace ebb::meter {

std::unique_ptr<GpuProcesses> GpuProcesses::Open(const std::string& nvml_library) {
  auto library = NvmlLibrary::Open(nvml_library);
  if (!library) return nullptr;
  return std::unique_ptr<GpuProcesses>(new GpuProcesses(*std::move(library)));
}

void GpuProcesses::Add(NvmlLibrary::Device device, const std::string& whole, double share,
                       std::vector<GpuUsers>& users) const {
  GpuUsers found{"gpu:" + whole, share, {}};
  for (const unsigned pid : library_->Processes(device))
    found.processes.push_back(static_cast<pid_t>(pid));
  if (!found.processes.empty()) users.push_back(std::move(found));
}

std::vector<GpuUsers> GpuProcesses::Look() const {
  std::vector<GpuUsers> users;
  for (const auto gpu : library_->Devices()) {
    const std::string uuid = library_->Uuid(gpu);
    if (!library_->MigIsOn(gpu)) {
      Add(gpu, uuid, 1, users);
      continue;
    }
    const auto slices = library_->MigDevices(gpu);
    for (const auto slice : slices)
      Add(slice, uuid,
          library_->Slice(slice, gpu).share.value_or(1 / static_cast<double>(slices.size())),
          users);
  }
  return users;
}

}  // namespace ebb::meter
