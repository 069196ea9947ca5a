#pragma once
// The device that trains, and its name. The same binary looks for CUDA at run time.

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "train/libtorch.h"
#include "train/options/options.h"

namespace ebb::train {

/// A GPU becomes the current device: the one with the number `local_rank` among those that
/// CUDA_VISIBLE_DEVICES leaves. If there are fewer GPUs than ranks, ranks share them.
Result<torch::Device> SelectDevice(DeviceChoice choice, int local_rank = 0);

/// The model name that the operating system gives; "unknown" if it gives none.
std::string DeviceName(torch::Device device);

/// Memory that programs can still get from the system; nullopt: unknown.
std::optional<std::int64_t> AvailableMemoryBytes();

/// The processor's "flags" (x86) or "Features" (ARM), with blanks between; "" if the system lists
/// none.
std::string CpuFlags();

/// Lays convolution weights out channels-last if that is faster: the convolutions of oneDNN then
/// take their input as it is (1.3 times the samples/s of SimpleCNN in fp32, 1.8 times in bf16), and
/// so do CUDA's tensor cores.
void UseFastMemoryFormat(torch::nn::Module& model, torch::Device device, Precision precision);

/// Sets LibTorch's thread count (0: the cores that this process may use) and returns it.
std::int64_t UseThreads(std::int64_t wanted, int ranks = 1);

}  // namespace ebb::train
