#pragma once
// The training of an image classifier: a task of the training loop (training_loop.h) made from the
// options and the data, with its result.

#include "base/result.h"
#include "train/data/dataset.h"
#include "train/loop/training_loop.h"
#include "train/options/options.h"

namespace ebb::train {

/// Checks that Train would begin: the model fits the data, the device supports the precision, and
/// the model's folder is writable. The run directory is not made here, so a folder in it is not
/// checked.
Status CheckTraining(const Options& options, const DataSplits& data);

/// Trains as the options say. Exceptions of LibTorch become an Error.
Result<Outcome> Train(const Options& options, const DataSplits& data);

}  // namespace ebb::train
