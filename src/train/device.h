#pragma once
// Which device trains, and what it is called. The same binary asks for CUDA at run time.

#include <torch/torch.h>

#include <string>

#include "base/result.h"
#include "train/options.h"

namespace ebb::train {

Result<torch::Device> SelectDevice(DeviceChoice choice);

/// The model name that the operating system gives; "unknown" where it gives none.
std::string DeviceName(torch::Device device);

/// Sets LibTorch's thread count (0: the cores that this process may use) and returns it.
std::int64_t UseThreads(std::int64_t wanted);

}  // namespace ebb::train
