#pragma once
// `ebb-train generate`: completes a prompt on standard output.

#include "base/result.h"
#include "train/language/generation/generate_options.h"

namespace ebb::train {

/// Exceptions of LibTorch become an Error.
Status Complete(const GenerateOptions& options);

}  // namespace ebb::train
