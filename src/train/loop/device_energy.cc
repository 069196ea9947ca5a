#include "train/loop/device_energy.h"

#include <algorithm>
#include <utility>

namespace ebb::train {

std::unique_ptr<DeviceEnergy> DeviceEnergy::Open(torch::Device device) {
  if (!device.is_cuda()) return nullptr;
  const auto bus_id = PciBusIdOf(std::max(0, static_cast<int>(device.index())));
  if (!bus_id) return nullptr;
  auto counter = EnergyCounter::Open(kNvmlFile, *bus_id);
  if (!counter) return nullptr;
  std::unique_ptr<DeviceEnergy> energy(new DeviceEnergy(std::move(counter)));
  return energy->watch_.WaitUntilKnown() ? std::move(energy) : nullptr;
}

DeviceEnergy::DeviceEnergy(std::unique_ptr<EnergyCounter> counter)
    : counter_(std::move(counter)),
      watch_([counter = counter_.get()] { return counter->Joules(); }) {}

}  // namespace ebb::train
