#pragma once
// The state of a run apart from its tensors: its position, its measurements, and the configuration
// it belongs to. Stored as JSON inside the checkpoint (docs/train.md, "Checkpoint").

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "train/learning/micro_batch.h"
#include "train/options/options.h"
#include "train/ranks/share_choice.h"

namespace ebb::train {

struct Evaluation {
  double loss = 0;      ///< mean over samples, or over predicted tokens
  double accuracy = 0;  ///< 0..1
};

struct EpochRecord {
  double train_loss = 0;
  double test_loss = 0;
  double test_accuracy = 0;  ///< 0..1
  double seconds = 0;        ///< training time without evaluation and checkpoints
  std::int64_t tokens = 0;   ///< tokens through a language model
};

/// Dynamic loss scaling (fp16 only); see loss_scaler.h.
struct LossScale {
  double scale = 65536;
  std::int64_t good_steps = 0;  ///< finite steps since the scale last changed
};

struct TrainingState {
  std::int64_t step = 0;           ///< updates done in the run
  std::int64_t epoch = 0;          ///< epochs finished, evaluation included
  std::int64_t epoch_updates = 0;  ///< updates done in the current epoch
  std::int64_t epoch_samples = 0;  ///< samples, or predicted tokens: the loss is a mean over these
  std::int64_t epoch_tokens = 0;
  double epoch_loss_sum = 0;
  double epoch_seconds = 0;          ///< spent in the current epoch, pauses not counted
  std::int64_t optimizer_steps = 0;  ///< updates that Adam applied; fp16 overflows are skipped
  std::int64_t peak_tensor_bytes = 0;
  std::int64_t diverged_at_step = 0;  ///< the first update that was not finite; 0: none
  LossScale loss_scale;
  MicroBatchState micro_batch;
  RankShareState rank_shares;
  std::vector<std::string> changed_inputs;  ///< since the run began, with --allow-changed
  std::vector<EpochRecord> history;
};

nlohmann::ordered_json ToJson(const TrainingState& state);
/// `name` is the checkpoint's name in messages.
Result<TrainingState> TrainingStateFromJson(const nlohmann::json& json, const std::string& name);

/// The options that must be the same for a continuation to be the same run, by flag name.
nlohmann::ordered_json Fingerprint(const Options& options);
/// Adds the flags of a run with a teacher.
void AddTo(nlohmann::ordered_json& fingerprint, const Distillation& distillation);
/// An Error that names the first flag that differs.
Status RequireSameFingerprint(const nlohmann::json& stored, const nlohmann::json& wanted,
                              const std::string& name);

}  // namespace ebb::train
