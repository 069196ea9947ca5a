#pragma once
// A run on disk: one safetensors file, replaced atomically, that holds by name the parameters
// (model.*), buffers (buffer.*), optimizer moments (opt.*) and random states (rng.*), and as
// metadata the TrainingState, the fingerprint of the configuration and a digest of it all. Format:
// docs/train.md, "Checkpoint".

#include <string>

#include "base/result.h"
#include "platform/file.h"
#include "train/adam.h"
#include "train/model.h"
#include "train/options.h"
#include "train/training_state.h"

namespace ebb::train {

/// What is saved and restored besides the state; borrowed.
struct CheckpointTensors {
  Classifier& model;
  Adam& optimizer;
  torch::Device device;
};

Status SaveCheckpoint(const platform::Path& path, const CheckpointTensors& tensors,
                      const TrainingState& state, const Options& options);

/// Restores the tensors in place and the generators, and returns the state. A file that is damaged,
/// of another configuration or of another model is refused before anything is changed.
Result<TrainingState> LoadCheckpoint(const platform::Path& path, const CheckpointTensors& tensors,
                                     const Options& options);

/// The parameters and buffers under their plain names, as other programs expect them.
Status SaveModel(const platform::Path& path, const Classifier& model);

/// Digest over names and bytes of all parameters: equal exactly when two trained models are.
std::string ParametersSha256(const Classifier& model);

}  // namespace ebb::train
