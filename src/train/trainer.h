#pragma once
// The training run: epochs of updates, an evaluation after each, checkpoints, progress and the
// result. The loop reads as steps; what they do is in learning.h, adam.h, checkpoint.h and
// progress.h. Single-threaded apart from LibTorch's own pool; stops between updates when a stop is
// requested.

#include "base/result.h"
#include "train/dataset.h"
#include "train/options.h"

namespace ebb::train {

enum class Outcome {
  kFinished,
  kPaused,  ///< a checkpoint was written; run again with --resume
};

/// Whether Train would begin: the model fits the data, the device does the precision, and the
/// folder of the model can be written, unless it is in the run directory, which is not made here.
Status CheckTraining(const Options& options, const DataSplits& data);

/// Trains as the options say. What LibTorch throws becomes an Error.
Result<Outcome> Train(const Options& options, const DataSplits& data);

}  // namespace ebb::train
