#include "train/language/training/update_meter.h"

namespace ebb::train {

UpdateMeter::UpdateMeter(torch::Device device)
    : device_(device), energy_(DeviceEnergy::Open(device)) {}

void UpdateMeter::Begin() {
  WaitForDevice();
  begin_ = std::chrono::steady_clock::now();
}

MeasuredUpdate UpdateMeter::End(std::int64_t tokens) {
  WaitForDevice();
  const auto end = std::chrono::steady_clock::now();
  MeasuredUpdate update{tokens, std::chrono::duration<double>(end - begin_).count(), {}};
  if (energy_) update.joules = energy_->JoulesBetween(begin_, end);
  return update;
}

void UpdateMeter::WaitForDevice() const {
  if (device_.is_cuda()) torch::cuda::synchronize(device_.index());
}

}  // namespace ebb::train
