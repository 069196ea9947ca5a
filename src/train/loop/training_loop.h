#pragma once
// The training loop, whatever is trained (task.h): epochs of updates in a seeded order, an
// evaluation after each, checkpoints, progress, pauses. Single-threaded apart from LibTorch's own
// pool; stops between updates when a stop is requested. Several ranks (ranks.h) do the same updates
// as one rank would, each on its part of the samples; the rank that leads also evaluates and writes
// files. A lost rank ends the training with a checkpoint, from which any number of ranks can
// continue.

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"
#include "train/data/sampler.h"
#include "train/devices/tensor_memory.h"
#include "train/files/checkpoint.h"
#include "train/learning/task.h"
#include "train/loop/progress.h"
#include "train/options/run_options.h"
#include "train/ranks/ranks.h"

namespace ebb::train {

enum class Outcome {
  kFinished,
  kPaused,  ///< a checkpoint was written; run again with --resume
};

struct LoopSettings {
  std::size_t micro_batch = 1;
  std::size_t accumulation = 1;
  std::int64_t epochs = 1;
  LearningRateSchedule learning_rate;
  std::uint64_t seed = 1;    ///< seed of the order
  bool scales_loss = false;  ///< true for fp16
  std::int64_t checkpoint_every = 0;
  std::string run_dir;
  std::string checkpoint_dir;
  bool resume = false;
  bool allow_changed = false;
  OnDivergence on_divergence = OnDivergence::kStop;
  ProgressStyle progress = ProgressStyle::kAuto;
  Ranks* ranks = nullptr;  ///< borrowed; not null
  RankShareOptions rank_share;
  RunIdentity identity;  ///< must be equal for a continuation
};

/// The loop settings for these options; a continuation must have the same identity.
LoopSettings LoopOf(const RunOptions& options, RunIdentity identity, Ranks& ranks);

/// Runs the task to its end, or until a stop is requested. `memory` must begin before the task
/// allocates tensors.
Result<Outcome> RunTraining(Task& task, const LoopSettings& settings,
                            const TensorMemoryScope& memory);

}  // namespace ebb::train
