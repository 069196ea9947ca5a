#include "train/learning/loss_scaler.h"

#include <algorithm>

#include "train/devices/finite.h"

namespace ebb::train {
namespace {

constexpr double kGrowth = 2.0;
constexpr double kBackoff = 0.5;
constexpr double kMaxScale = 0x1p40;
constexpr double kMinScale = 0x1p-20;

}  // namespace

bool LossScaler::Unscale(const std::vector<torch::Tensor>& gradients) const {
  const torch::Tensor found = MultiplyAndLookForNonFinite(gradients, 1.0 / state_.scale);
  return !found.defined() || found.item<float>() == 0.0F;
}

bool LossScaler::exhausted() const { return state_.scale <= kMinScale && state_.good_steps == 0; }

void LossScaler::Update(bool finite) {
  if (!finite) {
    state_.scale = std::max(state_.scale * kBackoff, kMinScale);
    state_.good_steps = 0;
    return;
  }
  if (++state_.good_steps < growth_interval_) return;
  state_.scale = std::min(state_.scale * kGrowth, kMaxScale);
  state_.good_steps = 0;
}

}  // namespace ebb::train
