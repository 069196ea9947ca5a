#pragma once
// The gradients of updates that all have the same number of samples, as recorded work
// (device_graph.h). The data must lie on the device. They are those of AddGradients (learning.h).

#include <cstdint>
#include <span>
#include <vector>

#include "train/devices/device_graph.h"
#include "train/learning/learning.h"

namespace ebb::train {

class RecordedGradients {
 public:
  /// Borrows model and source, which must outlive this object.
  RecordedGradients(Classifier& model, const BatchSource& source, const UpdateSettings& settings,
                    std::size_t samples);

  std::size_t samples() const { return static_cast<std::size_t>(which_.size(0)); }
  /// Replaces the parameters' gradients; the result is the mean loss, valid until the next call.
  torch::Tensor Replace(std::span<const std::uint32_t> samples);

 private:
  void Compute();

  Classifier& model_;
  const BatchSource& source_;
  UpdateSettings settings_;
  std::vector<torch::Tensor> parameters_;
  torch::Tensor which_;  ///< {samples} int64 on the device
  torch::Tensor loss_;
  std::vector<torch::Tensor> gradients_;  ///< those that the recorded work writes
  DeviceGraph graph_;
};

}  // namespace ebb::train
