#pragma once
// Sums of tensors over all ranks that the devices compute between each other, without the CPU.
// Every method only begins an operation, because a device would wait without end for a rank that
// has died. The ranks therefore ask Done, exchange the answers (ranks.h), and Abort together. One
// thread.

#include <vector>

#include "base/result.h"
#include "train/libtorch.h"

namespace ebb::train {

class DeviceSum {
 public:
  virtual ~DeviceSum() = default;

  /// The address by which the ranks find each other, as numbers. One rank asks for it on behalf of
  /// all.
  virtual Result<std::vector<double>> MeetingPoint() = 0;
  /// Begins to connect the ranks. Called once, before the first sum.
  virtual Status Connect(const std::vector<double>& meeting_point, int rank, int ranks) = 0;
  /// Begins to make `row` the sum of all ranks' rows. The row must live until that is done.
  virtual Status Add(const torch::Tensor& row) = 0;
  /// True if the operation is done; an Error says why it never will be.
  virtual Result<bool> Done() = 0;
  /// Ends the operation. The device can be used further, this object cannot.
  virtual void Abort() = 0;
};

}  // namespace ebb::train
