#include "train/learning/recorded_gradients.h"

#include "base/check.h"
#include "train/devices/on_device.h"

namespace ebb::train {

RecordedGradients::RecordedGradients(Classifier& model, const BatchSource& source,
                                     const UpdateSettings& settings, std::size_t samples)
    : model_(model),
      source_(source),
      settings_(settings),
      parameters_(model.parameters()),
      which_(torch::zeros({static_cast<std::int64_t>(samples)},
                          torch::dtype(torch::kInt64).device(source.device()))),
      graph_(source.device(), [this] { Compute(); }) {
  EBB_CHECK(source.is_on_device() && samples > 0);
}

// Without gradients before, the backward pass stores its own, without adding: these tensors are
// what the recorded work writes.
void RecordedGradients::Compute() {
  for (torch::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
  const auto gather = [this](std::size_t first, std::size_t count) {
    return source_.Gather(
        which_.narrow(0, static_cast<std::int64_t>(first), static_cast<std::int64_t>(count)));
  };
  loss_ = AddGradients(model_, gather, samples(), settings_);
  gradients_.clear();
  for (const torch::Tensor& parameter : parameters_) gradients_.push_back(parameter.grad());
}

torch::Tensor RecordedGradients::Replace(std::span<const std::uint32_t> samples) {
  EBB_CHECK(samples.size() == this->samples());
  which_.copy_(
      OnDevice(std::vector<std::int64_t>(samples.begin(), samples.end()), source_.device()),
      /*non_blocking=*/true);
  graph_.Run();
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    parameters_[i].mutable_grad() = gradients_[i];
  return loss_;
}

}  // namespace ebb::train
