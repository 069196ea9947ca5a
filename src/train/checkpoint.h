#pragma once
// A run on disk: one safetensors file, replaced atomically, that holds by name the parameters
// (model.*), buffers (buffer.*), optimizer moments (opt.*) and random states (rng.*), and as
// metadata the TrainingState, the fingerprint of the configuration and a digest of it all. Format:
// docs/train.md, "Checkpoint".

#include <string>

#include "base/result.h"
#include "platform/file.h"
#include "train/adam.h"
#include "train/input_content.h"
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

/// Everything that a checkpoint restores in place.
NamedTensors RestoredTensors(const CheckpointTensors& tensors);

/// Which run it is: the flags that make it, and what these name, by content.
struct RunIdentity {
  nlohmann::ordered_json fingerprint;
  InputContent inputs;
};

Status SaveCheckpoint(const platform::Path& path, const CheckpointTensors& tensors,
                      const TrainingState& state, const RunIdentity& run);

/// What a checkpoint must be to be gone on from.
struct WantedCheckpoint {
  const RunIdentity& run;
  OnDivergence on_divergence = OnDivergence::kStop;  ///< kGoOn: its numbers need not be finite
  bool allow_changed = false;  ///< inputs that have changed are noted in the state
};
/// Restores the tensors in place and the generators, and returns the state. A file that is damaged,
/// not finite, of another configuration, of other inputs or of another model is refused before
/// anything is changed.
Result<TrainingState> LoadCheckpoint(const platform::Path& path, const CheckpointTensors& tensors,
                                     const WantedCheckpoint& wanted);

/// Digest over names and bytes of all parameters: equal exactly when two trained models are.
std::string ParametersSha256(const Classifier& model);

}  // namespace ebb::train
