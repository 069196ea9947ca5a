#pragma once
// Dynamic loss scaling for fp16 (Micikevicius et al. 2018, "Mixed Precision Training",
// section 3.2): the loss is multiplied by a scale so that small gradients do not vanish; gradients
// are divided by it before the update; an update with a non-finite gradient is skipped and the
// scale halved; after `growth_interval` good updates it doubles.
//
// LibTorch's C++ API has no scaler. On CUDA the gradients are checked and divided by its fused
// kernel, elsewhere by plain operations.

#include <vector>

#include "train/learning/training_state.h"
#include "train/libtorch.h"

namespace ebb::train {

class LossScaler {
 public:
  explicit LossScaler(LossScale state = {}, std::int64_t growth_interval = 2000)
      : state_(state), growth_interval_(growth_interval) {}

  const LossScale& state() const { return state_; }
  /// The factor for the loss. A power of two, so that scaling and unscaling lose nothing.
  double scale() const { return state_.scale; }

  /// Divides the gradients in place by the scale; false if any of them is not finite.
  bool Unscale(const std::vector<torch::Tensor>& gradients) const;
  /// Adapts the scale after an update that was applied (`finite`) or must be skipped.
  void Update(bool finite);
  /// True if the last update was not finite at the smallest scale: then scaling does not help.
  bool exhausted() const;

 private:
  LossScale state_;
  std::int64_t growth_interval_;
};

}  // namespace ebb::train
