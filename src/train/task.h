#pragma once
// One thing to train: the port between the training loop (training_loop.h) and what it trains.
// Users: the image classifiers (trainer.cc) and the adapters of language models
// (language/lora_task.h).

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "train/adam.h"
#include "train/libtorch.h"
#include "train/named_tensors.h"
#include "train/training_state.h"

namespace ebb::train {

struct UpdateRequest {
  std::span<const std::uint32_t> samples;
  std::int64_t step =
      0;  ///< what is drawn at random depends on (seed, step) or on LibTorch's generator
  double loss_scale = 1;  ///< gradients come out multiplied by it
  std::size_t part = 0;   ///< of an update that several ranks share: what is drawn differs
};

struct UpdateLoss {
  torch::Tensor mean;       ///< a scalar on the device, not waited for
  std::int64_t weight = 0;  ///< what the mean is over: samples, or predicted tokens
  std::int64_t tokens = 0;  ///< that went through the model; 0 where there are none
};

class Task {
 public:
  virtual ~Task() = default;

  virtual std::size_t samples() const = 0;
  virtual torch::Device device() const = 0;
  virtual Adam& optimizer() = 0;
  /// What a checkpoint restores in place besides the optimizer. The names are part of the file's
  /// format.
  virtual NamedTensors TrainedTensors() = 0;
  /// Adds the gradient of the samples' mean loss to the parameters' gradients.
  virtual UpdateLoss AddGradients(const UpdateRequest& request) = 0;
  /// The gradients of an update are there, unscaled, and not used yet.
  virtual void BeforeStep() {}
  virtual Evaluation Evaluate() = 0;
  /// Writes what a finished run leaves behind; returns the line that tells where.
  virtual Result<std::string> Finish(const TrainingState& state) = 0;
};

}  // namespace ebb::train
