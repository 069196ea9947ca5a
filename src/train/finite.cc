#include "train/finite.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ebb::train {
namespace {

using torch::Tensor;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
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
    : first_(torch::full({2}, kNever, torch::dtype(torch::kInt64).device(device))) {}

void FiniteWatch::Add(const Tensor& loss, const std::vector<Tensor>& gradients, std::int64_t step) {
  const torch::NoGradGuard no_grad;
  Note(loss.isfinite().logical_not(), kLoss, step);
  if (!gradients.empty()) Note(MultiplyAndLookForNonFinite(gradients, 1), kGradient, step);
}

// Arithmetic replaces a branch, which would have to wait for the device.
void FiniteWatch::Note(const Tensor& is_bad, std::int64_t place, std::int64_t step) {
  first_[place].clamp_max_(kNever - is_bad.to(torch::kInt64) * (kNever - step));
}

std::optional<NonFiniteUpdate> FiniteWatch::Look() const {
  const Tensor first = first_.cpu();
  const std::int64_t loss = first[kLoss].item<std::int64_t>(),
                     gradient = first[kGradient].item<std::int64_t>();
  if (std::min(loss, gradient) == kNever) return std::nullopt;
  if (loss <= gradient) return NonFiniteUpdate{loss, "the loss"};
  return NonFiniteUpdate{gradient, "a gradient"};
}

}  // namespace ebb::train
