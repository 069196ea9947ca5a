#pragma once
// Seconds and joules of single updates, with what the device still computes when the calls return.
// Each measurement waits for the device, so a training measures only while it compares settings.

#include <chrono>
#include <memory>

#include "train/learning/micro_batch_search.h"
#include "train/libtorch.h"
#include "train/loop/device_energy.h"

namespace ebb::train {

class UpdateMeter {
 public:
  /// Joules are unknown unless the device is a GPU with a counter of its own.
  explicit UpdateMeter(torch::Device device);

  void Begin();
  MeasuredUpdate End(std::int64_t tokens);

 private:
  void WaitForDevice() const;

  torch::Device device_;
  std::unique_ptr<DeviceEnergy> energy_;  // null: unknown
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace ebb::train
