#include "train/devices/autocast.h"

#include <ATen/autocast_mode.h>

namespace ebb::train {
namespace {

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
bool Enabled(torch::DeviceType device) { return at::autocast::is_autocast_enabled(device); }
void SetEnabled(torch::DeviceType device, bool enabled) {
  at::autocast::set_autocast_enabled(device, enabled);
}
void SetType(torch::DeviceType device, torch::ScalarType type) {
  at::autocast::set_autocast_dtype(device, type);
}
#else
bool Enabled(torch::DeviceType device) {
  return device == torch::kCUDA ? at::autocast::is_enabled() : at::autocast::is_cpu_enabled();
}
void SetEnabled(torch::DeviceType device, bool enabled) {
  if (device == torch::kCUDA) at::autocast::set_enabled(enabled);
  if (device == torch::kCPU) at::autocast::set_cpu_enabled(enabled);
}
void SetType(torch::DeviceType device, torch::ScalarType type) {
  if (device == torch::kCUDA) at::autocast::set_autocast_gpu_dtype(type);
  if (device == torch::kCPU) at::autocast::set_autocast_cpu_dtype(type);
}
#endif

// LibTorch 2.3 is the first version with fp16 autocast on the CPU.
constexpr bool kCpuHasFp16 = TORCH_VERSION_MAJOR > 2 ||
                             (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3);

}  // namespace

AutocastScope::AutocastScope(Precision precision, torch::DeviceType device)
    : active_(precision != Precision::kFp32), device_(device) {
  if (!active_) return;
  previous_ = Enabled(device_);
  SetType(device_, precision == Precision::kFp16 ? torch::kFloat16 : torch::kBFloat16);
  SetEnabled(device_, true);
  at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope() {
  if (!active_) return;
  // The cache holds the weights' low-precision copies; after an update they would be stale.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  SetEnabled(device_, previous_);
}

Status RequirePrecisionSupported(Precision precision, torch::DeviceType device) {
  if (precision != Precision::kFp16 || device != torch::kCPU || kCpuHasFp16) return {};
  return Fail({ExitCode::kUnavailable,
               "fp16 on the CPU needs LibTorch 2.3 or newer; this is " TORCH_VERSION, "",
               "use --precision bf16, or a CUDA device"});
}

}  // namespace ebb::train
