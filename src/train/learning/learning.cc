#include "train/learning/learning.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "train/data/sampler.h"
#include "train/devices/autocast.h"
#include "train/learning/divergence.h"

namespace ebb::train {
namespace {

torch::Tensor Forward(Classifier& model, const Batch& batch, Precision precision) {
  const AutocastScope autocast(precision, batch.images.device().type());
  const torch::Tensor scores = model.forward(batch.images);
  // The loss itself is a reduction, so it is computed in at least fp32, whatever the precision of
  // the model.
  return scores.to(torch::promote_types(scores.scalar_type(), torch::kFloat32));
}

// The mean over the scores, and its gradient with respect to them.
Divergence MeanDivergence(const torch::Tensor& scores, const Batch& batch,
                          const UpdateSettings& settings) {
  const torch::NoGradGuard no_grad;
  const ClassifierTeacher& teacher = *settings.teacher;
  Divergence divergence = DivergenceOf(
      scores.detach(), Forward(*teacher.model, batch, settings.precision), teacher.temperature);
  const double share = 1 / static_cast<double>(scores.size(0));
  return {divergence.sum * share, divergence.gradient * share};
}

}  // namespace

torch::Tensor AddGradients(Classifier& model, const BatchSource& source,
                           std::span<const std::uint32_t> samples, const UpdateSettings& settings) {
  const auto gather = [&](std::size_t first, std::size_t count) {
    return source.Gather(samples.subspan(first, count));
  };
  return AddGradients(model, gather, samples.size(), settings);
}

torch::Tensor AddGradients(Classifier& model, const GatherBatch& gather, std::size_t samples,
                           const UpdateSettings& settings) {
  torch::Tensor mean_loss;
  const auto count = [&](const torch::Tensor& loss) {
    mean_loss = mean_loss.defined() ? mean_loss + loss.detach() : loss.detach();
  };
  for (std::size_t first = 0; first < samples; first += settings.micro_batch) {
    const std::size_t size = std::min(settings.micro_batch, samples - first);
    const Batch batch = gather(first, size);
    const double share = static_cast<double>(size) / static_cast<double>(samples);
    const torch::Tensor scores = Forward(model, batch, settings.precision);
    torch::Tensor loss = torch::nll_loss(scores, batch.labels);
    const double of_labels = share * (settings.teacher ? 1 - settings.teacher->mix : 1);
    if (of_labels != 1) loss = loss * of_labels;
    count(loss);
    if (settings.loss_scale != 1) loss = loss * settings.loss_scale;
    if (settings.teacher == nullptr) {
      loss.backward();
      continue;
    }
    const Divergence divergence = MeanDivergence(scores, batch, settings);
    const double of_teacher = share * settings.teacher->mix;
    count(divergence.sum * of_teacher);
    torch::autograd::backward(
        {loss, scores},
        {torch::ones_like(loss), divergence.gradient * (of_teacher * settings.loss_scale)});
  }
  return mean_loss;
}

Evaluation Evaluate(Classifier& model, const BatchSource& source, const UpdateSettings& settings) {
  const torch::NoGradGuard no_grad;
  model.eval();
  std::vector<std::uint32_t> order(source.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto options = torch::dtype(torch::kFloat64).device(source.device());
  torch::Tensor loss_sum = torch::zeros({}, options);
  torch::Tensor correct = torch::zeros({}, options);
  for (const auto part : MicroBatches(order, settings.micro_batch)) {
    const Batch batch = source.Gather(part);
    const torch::Tensor scores = Forward(model, batch, settings.precision);
    loss_sum += torch::nll_loss(scores, batch.labels, {}, torch::Reduction::Sum);
    correct += scores.argmax(1).eq(batch.labels).sum();
  }
  model.train();
  const double count = std::max(1.0, static_cast<double>(source.size()));
  return {loss_sum.item<double>() / count, correct.item<double>() / count};
}

}  // namespace ebb::train
