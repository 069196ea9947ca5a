#pragma once
// `ebb-train evaluate`: runs a trained image classifier on test images, repeatedly if its energy
// needs that to be measured.

#include <nlohmann/json_fwd.hpp>

#include <optional>

#include "base/result.h"
#include "train/data/dataset.h"
#include "train/files/model_file.h"
#include "train/options/evaluate_options.h"

namespace ebb::train {

/// Nothing if a stop was requested. Exceptions of LibTorch become an Error.
Result<std::optional<nlohmann::ordered_json>> EvaluateModel(const EvaluateOptions& options,
                                                            const LoadedModel& loaded,
                                                            const Dataset& test);

}  // namespace ebb::train
