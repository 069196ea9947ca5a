#pragma once
// The two things done with a model and samples: the gradient of one update, and an evaluation.
//
// Law: the gradient of an update does not depend on how its samples are cut into micro-batches
// (rounding apart, and dropout apart). Each micro-batch's mean loss is weighted by its share n_i /
// N of the update's samples, so an uneven last micro-batch counts as what it is.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "train/data/batch.h"
#include "train/learning/training_state.h"
#include "train/libtorch.h"
#include "train/model.h"
#include "train/options/options.h"

namespace ebb::train {

/// A model that the trained one learns from (divergence.h), in evaluation mode.
struct ClassifierTeacher {
  std::shared_ptr<Classifier> model;
  double temperature = 1;
  double mix = 0;  ///< the teacher's share, 0 to 1
};

struct UpdateSettings {
  std::size_t micro_batch = 64;
  Precision precision = Precision::kFp32;
  double loss_scale = 1;                       ///< factor of the gradients
  const ClassifierTeacher* teacher = nullptr;  ///< borrowed; evaluations ignore it
};

/// Returns the batch of the samples [first, first + count) of an update.
using GatherBatch = std::function<Batch(std::size_t first, std::size_t count)>;

/// Adds the gradient of the samples' mean loss to the parameters' gradients. Returns the (unscaled)
/// mean loss, a scalar on the device, without waiting for it.
torch::Tensor AddGradients(Classifier& model, const BatchSource& source,
                           std::span<const std::uint32_t> samples, const UpdateSettings& settings);
/// The same for so many samples, in batches that `gather` returns.
torch::Tensor AddGradients(Classifier& model, const GatherBatch& gather, std::size_t samples,
                           const UpdateSettings& settings);

/// Runs the model in evaluation mode over the whole source, and leaves it in training mode.
Evaluation Evaluate(Classifier& model, const BatchSource& source, const UpdateSettings& settings);

}  // namespace ebb::train
