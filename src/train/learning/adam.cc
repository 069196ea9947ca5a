#include "train/learning/adam.h"

#include <ATen/Parallel.h>

#include <cmath>

#include "train/learning/adam_kernel.h"
#include "train/libtorch.h"

// LibTorch 2.0 has one kernel for many tensors; its arguments have been the same since 2.1.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
#define EBB_HAS_FUSED_ADAM 1
#else
#define EBB_HAS_FUSED_ADAM 0
#endif

namespace ebb::train {
namespace {

constexpr std::int64_t kGrainElements = 1 << 15;

AdamCoefficients CoefficientsFor(const AdamSettings& settings, std::int64_t step,
                                 double learning_rate) {
  const double correction1 = 1 - std::pow(settings.beta1, static_cast<double>(step));
  const double correction2 = 1 - std::pow(settings.beta2, static_cast<double>(step));
  return {.beta1 = static_cast<float>(settings.beta1),
          .one_minus_beta1 = static_cast<float>(1 - settings.beta1),
          .beta2 = static_cast<float>(settings.beta2),
          .one_minus_beta2 = static_cast<float>(1 - settings.beta2),
          .epsilon = static_cast<float>(settings.epsilon),
          .step_size = static_cast<float>(learning_rate / correction1),
          .bias_correction2_root = static_cast<float>(std::sqrt(correction2)),
          .keep = static_cast<float>(1 - learning_rate * settings.weight_decay)};
}

// The kernel walks over storage, so all four tensors must lay out their elements alike.
bool CanFuse(const Adam::Slot& slot, const torch::Tensor& gradient) {
  return slot.parameter.is_cpu() && slot.parameter.scalar_type() == torch::kFloat32 &&
         gradient.scalar_type() == torch::kFloat32 &&
         slot.parameter.is_non_overlapping_and_dense() &&
         slot.exp_avg.strides() == slot.parameter.strides() &&
         slot.exp_avg_sq.strides() == slot.parameter.strides() &&
         gradient.strides() == slot.parameter.strides();
}

void UpdateFused(Adam::Slot& slot, const torch::Tensor& gradient,
                 const AdamCoefficients& coefficients) {
  const AdamArrays arrays{slot.parameter.data_ptr<float>(), slot.exp_avg.data_ptr<float>(),
                          slot.exp_avg_sq.data_ptr<float>(), gradient.data_ptr<float>()};
  at::parallel_for(0, slot.parameter.numel(), kGrainElements,
                   [&](std::int64_t begin, std::int64_t end) {
                     UpdateAdam(arrays, static_cast<std::size_t>(begin),
                                static_cast<std::size_t>(end), coefficients);
                   });
}

// True if LibTorch's kernel can do these updates, all in a few launches.
bool CanFuseOnDevice(const Adam::Slot& slot, const torch::Tensor& gradient) {
  return EBB_HAS_FUSED_ADAM != 0 && slot.parameter.is_cuda() &&
         slot.parameter.scalar_type() == torch::kFloat32 &&
         gradient.scalar_type() == torch::kFloat32 &&
         gradient.strides() == slot.parameter.strides() &&
         slot.exp_avg.strides() == slot.parameter.strides();
}

// The updates for LibTorch's kernel, tensor by tensor.
struct DeviceUpdates {
  std::vector<torch::Tensor> parameters, gradients, exp_avgs, exp_avg_sqs;

  void Add(const Adam::Slot& slot, const torch::Tensor& gradient) {
    parameters.push_back(slot.parameter);
    gradients.push_back(gradient);
    exp_avgs.push_back(slot.exp_avg);
    exp_avg_sqs.push_back(slot.exp_avg_sq);
  }
};

void UpdateOnDevice(const DeviceUpdates& updates, const AdamSettings& settings, std::int64_t step,
                    double learning_rate) {
#if EBB_HAS_FUSED_ADAM
  if (updates.parameters.empty()) return;
  // All tensors have made the same number of steps, so one number serves all.
  const std::vector<torch::Tensor> steps(
      updates.parameters.size(),
      torch::full({}, static_cast<double>(step), updates.parameters.front().options()));
  at::_fused_adamw_(updates.parameters, updates.gradients, updates.exp_avgs, updates.exp_avg_sqs,
                    {}, steps, learning_rate, settings.beta1, settings.beta2, settings.weight_decay,
                    settings.epsilon, /*amsgrad=*/false,
                    /*maximize=*/false);
#else
  (void)updates, (void)settings, (void)step, (void)learning_rate;
#endif
}

void UpdatePlain(Adam::Slot& slot, const torch::Tensor& gradient, const AdamSettings& settings,
                 const AdamCoefficients& coefficients) {
  slot.parameter.mul_(static_cast<double>(coefficients.keep));
  slot.exp_avg.mul_(settings.beta1).add_(gradient, 1 - settings.beta1);
  slot.exp_avg_sq.mul_(settings.beta2).addcmul_(gradient, gradient, 1 - settings.beta2);
  const torch::Tensor denominator =
      (slot.exp_avg_sq.sqrt() / static_cast<double>(coefficients.bias_correction2_root))
          .add_(settings.epsilon);
  slot.parameter.addcdiv_(slot.exp_avg, denominator, -static_cast<double>(coefficients.step_size));
}

NamedTensors ParametersOf(const torch::nn::Module& module) {
  NamedTensors parameters;
  for (const auto& item : module.named_parameters())
    parameters.emplace_back(item.key(), item.value());
  return parameters;
}

}  // namespace

Adam::Adam(const torch::nn::Module& module, AdamSettings settings)
    : Adam(ParametersOf(module), settings) {}

Adam::Adam(const NamedTensors& parameters, AdamSettings settings) : settings_(settings) {
  for (const auto& [name, parameter] : parameters)
    slots_.push_back({name, parameter, torch::zeros_like(parameter.detach()),
                      torch::zeros_like(parameter.detach())});
}

std::vector<torch::Tensor> Adam::Gradients() const {
  std::vector<torch::Tensor> gradients;
  for (const Slot& slot : slots_) {
    if (slot.parameter.grad().defined()) gradients.push_back(slot.parameter.grad());
  }
  return gradients;
}

void Adam::ClearGradients() {
  for (Slot& slot : slots_) slot.parameter.mutable_grad().reset();
}

void Adam::Step(double learning_rate) {
  const torch::NoGradGuard no_grad;
  ++steps_;
  const AdamCoefficients coefficients = CoefficientsFor(settings_, steps_, learning_rate);
  DeviceUpdates on_device;
  for (Slot& slot : slots_) {
    const torch::Tensor gradient = slot.parameter.grad();
    if (!gradient.defined()) continue;
    if (CanFuse(slot, gradient))
      UpdateFused(slot, gradient, coefficients);
    else if (CanFuseOnDevice(slot, gradient))
      on_device.Add(slot, gradient);
    else
      UpdatePlain(slot, gradient, settings_, coefficients);
  }
  UpdateOnDevice(on_device, settings_, steps_, learning_rate);
}

}  // namespace ebb::train
