#include "train/loss_scaler.h"

#include <algorithm>

namespace ebb::train {
namespace {

constexpr double kGrowth = 2.0;
constexpr double kBackoff = 0.5;
constexpr double kMaxScale = 0x1p40;
constexpr double kMinScale = 0x1p-20;

bool UnscaleFused(const std::vector<torch::Tensor>& gradients, double inverse_scale) {
  const auto options = gradients.front().options().dtype(torch::kFloat32);
  torch::Tensor found_inf = torch::zeros({1}, options);
  const torch::Tensor inverse = torch::full({1}, inverse_scale, options);
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf, inverse);
  return found_inf.item<float>() == 0.0F;
}

bool UnscalePlain(const std::vector<torch::Tensor>& gradients, double inverse_scale) {
  bool finite = true;
  for (torch::Tensor gradient : gradients) {
    finite = finite && gradient.isfinite().all().item<bool>();
    gradient.mul_(inverse_scale);
  }
  return finite;
}

}  // namespace

bool LossScaler::Unscale(const std::vector<torch::Tensor>& gradients) const {
  if (gradients.empty()) return true;
  const torch::NoGradGuard no_grad;
  const double inverse_scale = 1.0 / state_.scale;
  return gradients.front().is_cuda() ? UnscaleFused(gradients, inverse_scale)
                                     : UnscalePlain(gradients, inverse_scale);
}

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
