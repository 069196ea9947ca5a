#pragma once
// Sums of tensors over all ranks that their devices carry out between each other, without the CPU.
// Every method only begins something: a device would wait without end for a rank that has died.
// So the ranks ask Done, tell each other what it said (ranks.h), and Abort together. One thread.

#include <vector>

#include "base/result.h"
#include "train/libtorch.h"

namespace ebb::train {

class DeviceSum {
 public:
  virtual ~DeviceSum() = default;

  /// What the ranks find each other by, as numbers: asked of one rank, for all of them.
  virtual Result<std::vector<double>> MeetingPoint() = 0;
  /// Begins to connect them. Once, before anything is summed.
  virtual Status Connect(const std::vector<double>& meeting_point, int rank, int ranks) = 0;
  /// Begins to make `row` the sum of all ranks' rows. It has to live until that is done.
  virtual Status Add(const torch::Tensor& row) = 0;
  /// Whether what was begun is done; an Error says why it never will be.
  virtual Result<bool> Done() = 0;
  /// Ends what was begun. The device can be used further, this object cannot.
  virtual void Abort() = 0;
};

}  // namespace ebb::train
