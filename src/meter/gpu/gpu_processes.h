#pragma once
// Finds the processes that use the NVIDIA GPUs of this machine, whole ones and slices of them.
//
// Not thread-safe.

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "meter/gpu/nvml_library.h"

namespace ebb::meter {

struct GpuUsers {
  std::string device;  ///< name of the whole GPU in readings: "gpu:GPU-1234..."
  double share = 1;    ///< share of the GPU: below 1 for a slice
  std::vector<pid_t> processes;
};

class GpuProcesses {
 public:
  /// Returns null if there is no such library or it does not start.
  static std::unique_ptr<GpuProcesses> Open(const std::string& nvml_library);
  /// GPUs and slices that at least one process uses now.
  std::vector<GpuUsers> Look() const;

 private:
  explicit GpuProcesses(std::unique_ptr<NvmlLibrary> library) : library_(std::move(library)) {}
  void Add(NvmlLibrary::Device device, const std::string& whole, double share,
           std::vector<GpuUsers>& users) const;
  std::unique_ptr<NvmlLibrary> library_;
};

}  // namespace ebb::meter
