#pragma once
// The options of ebb-train: its flags, their defaults, and the environment of the training-program
// contract (docs/train.md). Parsing is pure: it takes arguments and environment, and returns
// options, text to print, or an Error.

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "train/options/data_options.h"
#include "train/options/run_options.h"

namespace ebb::train {

/// The choice whether an update is recorded once and started as a whole (device_graph.h).
enum class GraphChoice { kAuto, kOn, kOff };

struct Options : RunOptions, DataOptions {
  std::string model = "simple-cnn";
  GraphChoice graph = GraphChoice::kAuto;
  bool measure_speed = false;  ///< measure the speed of each precision instead of training
  std::string export_data;  ///< a directory: write the data there as IDX files instead of training
  std::string model_save_path;  ///< empty: model.safetensors; a relative path is in run_dir
};

/// The request of --list-models.
struct ListModels {};
using Request = std::variant<Options, TextToPrint, ListModels>;

/// `arguments` exclude the program's name. Usage errors have ExitCode::kUsage.
Result<Request> ParseOptions(std::span<const std::string> arguments,
                             const Environment& environment);

std::string Name(Precision precision);
std::string Name(DataSource data);
std::string Name(ScheduleKind kind);

}  // namespace ebb::train
