#include "train/language/training/update_meter.h"

#include <algorithm>

namespace ebb::train {

UpdateMeter::UpdateMeter(torch::Device device) : device_(device) {
  if (!device.is_cuda()) return;
  const auto bus_id = PciBusIdOf(std::max(0, static_cast<int>(device.index())));
  if (bus_id) counter_ = EnergyCounter::Open(kNvmlFile, *bus_id);
  if (!counter_) return;
  watch_ = std::make_unique<EnergyWatch>([counter = counter_.get()] { return counter->Joules(); });
  if (!watch_->WaitUntilKnown()) watch_.reset();
}

void UpdateMeter::Begin() {
  WaitForDevice();
  begin_ = std::chrono::steady_clock::now();
}

MeasuredUpdate UpdateMeter::End(std::int64_t tokens) {
  WaitForDevice();
  const auto end = std::chrono::steady_clock::now();
  MeasuredUpdate update{tokens, std::chrono::duration<double>(end - begin_).count(), {}};
  if (watch_) update.joules = watch_->JoulesBetween(begin_, end);
  return update;
}

void UpdateMeter::WaitForDevice() const {
  if (device_.is_cuda()) torch::cuda::synchronize(device_.index());
}

}  // namespace ebb::train
