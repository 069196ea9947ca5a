#pragma once
// Work for a GPU that is recorded once and then started as a whole (a CUDA graph). A small model's
// kernels take less time than starting them one by one, so this is what its speed depends on. The
// recorded work reads and writes the same tensors each time: the caller fills its inputs before,
// and keeps what it produces. Random numbers go on as if the kernels were started one by one.
//
// Needs CUDA's headers when Ebb is built (the wheels of PyTorch bring them). Without them, and on a
// CPU, the work is done anew each time, with the same result. One thread.

#include <functional>
#include <memory>

#include "train/libtorch.h"

namespace ebb::train {

class DeviceGraph {
 public:
  /// `work` must not wait for the device, and must not depend on what changes between runs except
  /// the contents of tensors that live longer than this object.
  DeviceGraph(torch::Device device, std::function<void()> work);
  ~DeviceGraph();
  DeviceGraph(const DeviceGraph&) = delete;
  DeviceGraph& operator=(const DeviceGraph&) = delete;

  /// True if work on such a device can be recorded.
  static bool Available(torch::Device device);

  /// Does the work. The first runs are ordinary ones, so that libraries set themselves up; the next
  /// records. If that fails, a warning says so, and all runs are ordinary ones.
  void Run();

 private:
  struct Recording;
  void Record();

  torch::Device device_;
  std::function<void()> work_;
  int runs_ = 0;
  bool failed_ = false;
  std::unique_ptr<Recording> recording_;
};

}  // namespace ebb::train
