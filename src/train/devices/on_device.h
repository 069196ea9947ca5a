#pragma once
// Copies small tensors from the CPU to a device without waiting for it. A copy from ordinary memory
// waits until the device has done all that was asked of it before; one from pinned memory does not.

#include <cstdint>
#include <vector>

#include "train/libtorch.h"

namespace ebb::train {

/// `host` itself if the device is the CPU.
torch::Tensor OnDevice(const torch::Tensor& host, torch::Device device);
torch::Tensor OnDevice(const std::vector<std::int64_t>& values, torch::Device device);

}  // namespace ebb::train
