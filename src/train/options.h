#pragma once
// What ebb-train can be told: its flags, their defaults, and the environment of the
// training-program contract (docs/train.md). Parsing is pure: arguments and environment in,
// options, text to print, or an Error out.

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "train/data_options.h"
#include "train/run_options.h"

namespace ebb::train {

struct Options : RunOptions, DataOptions {
  std::string model = "simple-cnn";
  bool measure_speed = false;  ///< tell how fast each precision is here instead of training
  std::string export_data;  ///< a directory: write the data there as IDX files instead of training
  std::string model_save_path;  ///< empty: model.safetensors; a relative path is in run_dir
};

/// --list-models.
struct ListModels {};
using Request = std::variant<Options, TextToPrint, ListModels>;

/// `arguments` without the program's name. Usage errors have ExitCode::kUsage.
Result<Request> ParseOptions(std::span<const std::string> arguments,
                             const Environment& environment);

std::string Name(Precision precision);
std::string Name(DataSource data);
std::string Name(ScheduleKind kind);

}  // namespace ebb::train
