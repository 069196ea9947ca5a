#pragma once
// Checkpoints of a run: one safetensors file, replaced atomically. It holds by name the parameters
// (model.*), buffers (buffer.*), optimizer moments (opt.*) and random states (rng.*), and as
// metadata the TrainingState, the fingerprint of the configuration and a digest of all of it.
// Format: docs/train.md, "Checkpoint".

#include <string>

#include "base/result.h"
#include "platform/file.h"
#include "train/data/input_content.h"
#include "train/learning/adam.h"
#include "train/learning/task.h"
#include "train/learning/training_state.h"
#include "train/model.h"

namespace ebb::train {

/// The tensors that a checkpoint saves and restores, beside the state.
struct CheckpointTensors {
  NamedTensors trained;
  Adam& optimizer;
  torch::Device device;
};

/// All tensors that a checkpoint restores in place.
NamedTensors RestoredTensors(const CheckpointTensors& tensors);

/// Identifies a run: the flags that define it, and the inputs that the flags name, by content.
struct RunIdentity {
  nlohmann::ordered_json fingerprint;
  InputContent inputs;
};

Status SaveCheckpoint(const platform::Path& path, const CheckpointTensors& tensors,
                      const TrainingState& state, const RunIdentity& run);

/// The requirements that a checkpoint must meet for the run to continue from it.
struct WantedCheckpoint {
  const RunIdentity& run;
  OnDivergence on_divergence = OnDivergence::kStop;  ///< kGoOn: numbers need not be finite
  bool allow_changed = false;                        ///< changed inputs are recorded in the state
};
/// Restores the tensors in place and the generators, and returns the state. A file that is damaged,
/// not finite, of another configuration, of other inputs or of another model is refused before
/// anything is changed.
Result<TrainingState> LoadCheckpoint(const platform::Path& path, const CheckpointTensors& tensors,
                                     const WantedCheckpoint& wanted);

/// Digest over names and bytes of all parameters: equal exactly when two trained models are.
std::string ParametersSha256(const Classifier& model);

}  // namespace ebb::train
