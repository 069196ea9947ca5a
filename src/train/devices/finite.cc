#include "train/devices/finite.h"

#include <algorithm>
#include <cmath>

namespace ebb::train {
namespace {

using torch::Tensor;

constexpr std::int64_t kLoss = 0, kGradient = 1;

// CUDA: one fused kernel does both.
Tensor LookOnCuda(const std::vector<Tensor>& gradients, double factor) {
  const auto options = gradients.front().options().dtype(torch::kFloat32);
  Tensor found = torch::zeros({1}, options);
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found,
                                                 torch::full({1}, factor, options));
  return found.squeeze(0);
}

Tensor LookPlainly(const std::vector<Tensor>& gradients, double factor) {
  Tensor finite = torch::ones({}, torch::dtype(torch::kBool).device(gradients.front().device()));
  for (Tensor gradient : gradients) {
    finite.logical_and_(gradient.isfinite().all());
    if (factor != 1) gradient.mul_(factor);
  }
  return finite.logical_not();
}

}  // namespace

Tensor MultiplyAndLookForNonFinite(const std::vector<Tensor>& gradients, double factor) {
  if (gradients.empty()) return {};
  const torch::NoGradGuard no_grad;
  return gradients.front().is_cuda() ? LookOnCuda(gradients, factor)
                                     : LookPlainly(gradients, factor);
}

// The sum of finite numbers is finite unless it overflows, and takes one pass over memory. Only if
// the sum is not finite, every number is looked at.
bool IsFinite(const Tensor& tensor) {
  const torch::NoGradGuard no_grad;
  const auto type = torch::promote_types(tensor.scalar_type(), torch::kFloat32);
  return std::isfinite(tensor.sum(type).item<double>()) || tensor.isfinite().all().item<bool>();
}

std::optional<std::string> FirstNonFinite(const NamedTensors& tensors) {
  for (const auto& [name, tensor] : tensors)
    if (tensor.is_floating_point() && !IsFinite(tensor)) return name;
  return std::nullopt;
}

FiniteWatch::FiniteWatch(torch::Device device)
    : poison_(torch::zeros({}, torch::device(device))),
      found_(torch::zeros({1}, torch::device(device))),
      one_(torch::ones({1}, torch::device(device))),
      good_(torch::zeros({2}, torch::dtype(torch::kInt64).device(device))) {}

// Arithmetic replaces branches, which would have to wait for the device, and each operation counts:
// in a small model's update, starting them is what takes the time.
void FiniteWatch::Add(const Tensor& loss, const std::vector<Tensor>& gradients, std::int64_t step) {
  const torch::NoGradGuard no_grad;
  steps_.push_back(step);
  poison_.add_(loss - loss);
  LookAt(gradients);
  good_[kLoss].add_(poison_.eq(0));
  good_[kGradient].add_(found_.squeeze(0).eq(0));
}

// `found_` stays 1 once a gradient was not finite.
void FiniteWatch::LookAt(const std::vector<Tensor>& gradients) {
  if (gradients.empty()) return;
  if (gradients.front().is_cuda())
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_, one_);
  else
    found_.add_(LookPlainly(gradients, 1)).clamp_max_(1);
}

std::optional<NonFiniteUpdate> FiniteWatch::Look() {
  const Tensor good = good_.cpu();
  const auto loss = static_cast<std::size_t>(good[kLoss].item<std::int64_t>());
  const auto gradient = static_cast<std::size_t>(good[kGradient].item<std::int64_t>());
  if (std::min(loss, gradient) == steps_.size()) {
    steps_.clear();
    good_.zero_();
    return std::nullopt;
  }
  if (loss <= gradient) return NonFiniteUpdate{steps_[loss], "the loss"};
  return NonFiniteUpdate{steps_[gradient], "a gradient"};
}

}  // namespace ebb::train
