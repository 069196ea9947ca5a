#pragma once
// `ebb-train evaluate`: a trained image classifier on test images, as often as its energy needs to
// be measured.

#include <nlohmann/json_fwd.hpp>

#include <optional>

#include "base/result.h"
#include "train/dataset.h"
#include "train/evaluate_options.h"
#include "train/model_file.h"

namespace ebb::train {

/// Nothing after a stop was requested. What LibTorch throws becomes an Error.
Result<std::optional<nlohmann::ordered_json>> EvaluateModel(const EvaluateOptions& options,
                                                            const LoadedModel& loaded,
                                                            const Dataset& test);

}  // namespace ebb::train
