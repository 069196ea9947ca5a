#pragma once
// The training of an image classifier: a task of the training loop (training_loop.h) made from the
// options and the data, with its result.

#include "base/result.h"
#include "train/dataset.h"
#include "train/options.h"
#include "train/training_loop.h"

namespace ebb::train {

/// Whether Train would begin: the model fits the data, the device does the precision, and the
/// folder of the model can be written, unless it is in the run directory, which is not made here.
Status CheckTraining(const Options& options, const DataSplits& data);

/// Trains as the options say. What LibTorch throws becomes an Error.
Result<Outcome> Train(const Options& options, const DataSplits& data);

}  // namespace ebb::train
