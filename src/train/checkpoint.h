#pragma once
// A run on disk: one safetensors file, replaced atomically, that holds by name the parameters
// (model.*), buffers (buffer.*), optimizer moments (opt.*) and random states (rng.*), and as
// metadata the TrainingState, the fingerprint of the configuration and a digest of it all. Format:
// docs/train.md, "Checkpoint".

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"
#include "platform/file.h"
#include "train/adam.h"
#include "train/model.h"
#include "train/task.h"
#include "train/training_state.h"

namespace ebb::train {

/// What is saved and restored besides the state.
struct CheckpointTensors {
  NamedTensors trained;
  Adam& optimizer;
  torch::Device device;
};

Status SaveCheckpoint(const platform::Path& path, const CheckpointTensors& tensors,
                      const TrainingState& state, const nlohmann::ordered_json& fingerprint);

/// Restores the tensors in place and the generators, and returns the state. A file that is damaged,
/// of another configuration or of another model is refused before anything is changed.
Result<TrainingState> LoadCheckpoint(const platform::Path& path, const CheckpointTensors& tensors,
                                     const nlohmann::ordered_json& fingerprint);

/// Digest over names and bytes of all parameters: equal exactly when two trained models are.
std::string ParametersSha256(const Classifier& model);

}  // namespace ebb::train
