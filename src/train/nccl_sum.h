#pragma once
// Sums between the GPUs of all ranks by NVIDIA's collectives library, which LibTorch with CUDA
// brings. It is loaded when it is asked for; the few functions that are needed are declared by hand
// from its documentation (NCCL API reference), whose binary interface is stable. LibTorch's own
// process group for it needs the headers of CUDA's compiler, and its watchdog ends the process
// where a rank is lost.

#include <memory>
#include <string>

#include "base/result.h"
#include "train/command.h"
#include "train/device_sum.h"
#include "train/libtorch.h"

namespace ebb::train {

inline constexpr auto kNcclFile = "libnccl.so.2";

/// For tensors of `device`, which is the current one. An Error where the library is not there or is
/// older than 2.14, the first whose communicators do not block.
Result<std::unique_ptr<DeviceSum>> OpenNccl(const std::string& file, torch::Device device);

/// What sums the tensors of ranks that train on `device`; null: Gloo.
Result<std::unique_ptr<DeviceSum>> OpenExchange(Exchange exchange, torch::Device device);

}  // namespace ebb::train
