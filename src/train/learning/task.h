#pragma once
// The port between the training loop (training_loop.h) and what it trains. Users: the image
// classifiers (trainer.cc) and the adapters of language models
// (train/language/training/lora_task.h).

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "train/devices/named_tensors.h"
#include "train/learning/adam.h"
#include "train/learning/training_state.h"
#include "train/libtorch.h"

namespace ebb::train {

struct UpdateRequest {
  std::span<const std::uint32_t> samples;
  std::int64_t step = 0;  ///< random draws depend on (seed, step) or on LibTorch's generator
  double loss_scale = 1;  ///< factor of the gradients
  std::size_t part = 0;   ///< number of the rank's part; random draws depend on it
};

struct UpdateLoss {
  torch::Tensor mean;       ///< a scalar on the device, not waited for
  std::int64_t weight = 0;  ///< number of samples or predicted tokens in the mean
  std::int64_t tokens = 0;  ///< tokens through the model; 0: it has none
};

class Task {
 public:
  virtual ~Task() = default;

  virtual std::size_t samples() const = 0;
  virtual torch::Device device() const = 0;
  virtual Adam& optimizer() = 0;
  /// The tensors that a checkpoint restores in place besides the optimizer's. The names are part of
  /// the file's format.
  virtual NamedTensors TrainedTensors() = 0;
  /// Adds the gradient of the samples' mean loss to the parameters' gradients.
  virtual UpdateLoss AddGradients(const UpdateRequest& request) = 0;
  /// Called when the gradients of an update are there, unscaled, and not used yet.
  virtual void BeforeStep() {}
  /// The size of micro-batches, if it may change while the run trains.
  virtual MicroBatchState micro_batch_state() const { return {}; }
  /// Goes on with what a checkpoint says of it.
  virtual void UseMicroBatch(const MicroBatchState& /*state*/) {}
  virtual Evaluation Evaluate() = 0;
  /// Writes the results of a finished run; returns a line that says where they are.
  virtual Result<std::string> Finish(const TrainingState& state) = 0;
};

}  // namespace ebb::train
