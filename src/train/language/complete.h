#pragma once
// `ebb-train generate`: a prompt's completion on standard output.

#include "base/result.h"
#include "train/language/generate_options.h"

namespace ebb::train {

/// What LibTorch throws becomes an Error.
Status Complete(const GenerateOptions& options);

}  // namespace ebb::train
