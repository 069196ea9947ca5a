#pragma once
// Checks for numbers that are not finite. A training that has diverged goes on with such numbers,
// and everything that it writes from then on is worthless, so the loop checks every update.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/devices/named_tensors.h"
#include "train/libtorch.h"

namespace ebb::train {

/// Multiplies the gradients by `factor` in place. The result is a scalar on their device, without
/// waiting for it: 1 if a gradient has a number that is not finite, otherwise 0. Undefined without
/// gradients.
torch::Tensor MultiplyAndLookForNonFinite(const std::vector<torch::Tensor>& gradients,
                                          double factor);

bool IsFinite(const torch::Tensor& tensor);
/// The name of the first tensor with a number that is not finite; whole numbers are finite.
std::optional<std::string> FirstNonFinite(const NamedTensors& tensors);

/// The first update whose loss or gradient was not finite.
struct NonFiniteUpdate {
  std::int64_t step = 0;
  std::string what;  ///< "the loss", "a gradient"
};

/// Looks at every update without waiting for the device, which counts the good ones.
class FiniteWatch {
 public:
  explicit FiniteWatch(torch::Device device);
  /// `step` counts from 1. `loss` is a scalar on the device.
  void Add(const torch::Tensor& loss, const std::vector<torch::Tensor>& gradients,
           std::int64_t step);
  /// Returns the first bad update. Waits for the device.
  std::optional<NonFiniteUpdate> Look();

 private:
  void LookAt(const std::vector<torch::Tensor>& gradients);

  std::vector<std::int64_t> steps_;  ///< those added since everything was known to be finite
  torch::Tensor poison_;             ///< 0 while all losses are finite, then NaN
  torch::Tensor found_;              ///< {1}: 0 while all gradients are finite, then 1
  torch::Tensor one_;                ///< {1}
  torch::Tensor good_;               ///< {2}: updates with a finite loss, with finite gradients
};

}  // namespace ebb::train
