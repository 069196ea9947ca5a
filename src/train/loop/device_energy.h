#pragma once
// The energy of the GPU that trains between two moments, by its counter.

#include <memory>
#include <optional>

#include "train/libtorch.h"
#include "train/loop/energy_counter.h"
#include "train/loop/energy_watch.h"

namespace ebb::train {

class DeviceEnergy {
 public:
  /// Null unless the device is a GPU with a counter of its own that moves.
  static std::unique_ptr<DeviceEnergy> Open(torch::Device device);

  std::optional<double> JoulesBetween(CounterHistory::Moment begin,
                                      CounterHistory::Moment end) const {
    return watch_.JoulesBetween(begin, end);
  }

 private:
  explicit DeviceEnergy(std::unique_ptr<EnergyCounter> counter);

  std::unique_ptr<EnergyCounter> counter_;
  EnergyWatch watch_;  // reads counter_ in its thread, so it ends first
};

}  // namespace ebb::train
