#pragma once
// `ebb-train lora`: from the options to a trained adapter in PEFT's format, with metrics.json and
// train_result.json.

#include "base/result.h"
#include "train/language/training/lora_options.h"
#include "train/loop/training_loop.h"

namespace ebb::train {

/// Checks that TrainLora would begin: model, data, device, precision and folders.
Status CheckLora(const LoraOptions& options);

/// Trains as the options say. Exceptions of LibTorch become an Error.
Result<Outcome> TrainLora(const LoraOptions& options);

}  // namespace ebb::train
