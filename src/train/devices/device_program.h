#pragma once
// The kernels of device_kernels.cuh on the GPU at hand: compiled by NVRTC, which comes with every
// PyTorch for CUDA, when the first one is needed (a fraction of a second), and started on
// LibTorch's current stream. NVRTC and the driver are loaded at run time, so that nothing of CUDA
// is needed to build Ebb.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "train/libtorch.h"

namespace ebb::train {

class DeviceProgram {
 public:
  /// The program of a device, compiled once; null if there is none, of which a warning says why.
  static const DeviceProgram* For(torch::Device device);

  /// Starts as many threads as `count`, with the tensors' addresses and `count` as arguments.
  void Launch(const std::string& kernel, std::uint64_t count,
              const std::vector<torch::Tensor>& tensors) const;

 private:
  struct Functions;
  static Result<const DeviceProgram*> Compile(torch::Device device);

  const Functions* functions_ = nullptr;
  void* module_ = nullptr;
};

}  // namespace ebb::train
