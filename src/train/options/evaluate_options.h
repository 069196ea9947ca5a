#pragma once
// The options of `ebb-train evaluate`: a model file and test images. Parsing is pure.

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "train/options/command.h"
#include "train/options/data_options.h"

namespace ebb::train {

struct EvaluateOptions : DataOptions {
  std::string model;  ///< model file (model_file.h)
  std::int64_t batch_size = 64;
  std::int64_t repeat = 1;
  Precision precision = Precision::kFp32;
  DeviceChoice device = DeviceChoice::kAuto;
  std::int64_t threads = 0;  ///< 0: one per available core
};

using EvaluateRequest = std::variant<EvaluateOptions, TextToPrint>;

/// `arguments` are those after "evaluate".
Result<EvaluateRequest> ParseEvaluateOptions(std::span<const std::string> arguments);

}  // namespace ebb::train
