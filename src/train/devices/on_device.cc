#include "train/devices/on_device.h"

namespace ebb::train {

torch::Tensor OnDevice(const torch::Tensor& host, torch::Device device) {
  if (!device.is_cuda()) return host.to(device);
  return host.pin_memory().to(device, /*non_blocking=*/true);
}

torch::Tensor OnDevice(const std::vector<std::int64_t>& values, torch::Device device) {
  return OnDevice(torch::tensor(values, torch::dtype(torch::kInt64)), device);
}

}  // namespace ebb::train
