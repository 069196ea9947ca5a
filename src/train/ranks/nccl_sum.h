#pragma once
// Sums between the GPUs of all ranks by NVIDIA's collectives library (NCCL), which comes with
// LibTorch for CUDA. The library is loaded on demand. The few functions that Ebb needs are declared
// by hand from its documentation (NCCL API reference); their binary interface is stable. LibTorch's
// own process group for NCCL is not used: it needs the headers of CUDA's compiler, and its watchdog
// ends the process if a rank is lost.

#include <memory>
#include <string>

#include "base/result.h"
#include "train/libtorch.h"
#include "train/options/command.h"
#include "train/ranks/device_sum.h"

namespace ebb::train {

inline constexpr auto kNcclFile = "libnccl.so.2";

/// Sums tensors of `device`, which must be the current device. An Error if the library is missing
/// or older than 2.14, the first version whose communicators do not block.
Result<std::unique_ptr<DeviceSum>> OpenNccl(const std::string& file, torch::Device device);

/// The object that sums tensors of ranks that train on `device`; null: Gloo sums them.
Result<std::unique_ptr<DeviceSum>> OpenExchange(Exchange exchange, torch::Device device);

}  // namespace ebb::train
