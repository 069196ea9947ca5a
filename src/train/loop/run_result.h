#pragma once
// train_result.json: the report of a finished run to the program that started it (docs/train.md,
// "Result").

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/file.h"
#include "train/learning/training_state.h"
#include "train/options/run_options.h"

namespace ebb::train {

/// The options that the run was started with.
struct RunDescription {
  std::string model;
  std::string dataset;
  std::string precision;
  std::int64_t batch_size = 1;
  std::int64_t accumulation = 1;
  std::int64_t epochs = 1;
  double learning_rate = 0;
  std::string learning_rate_schedule;
  std::uint64_t seed = 0;
  std::string model_path;
};

/// Fills all fields except the names of model and data, and the place of the model.
RunDescription DescriptionOf(const RunOptions& options);

/// The facts that only the process that finished the run knows; the other fields come from the
/// description and the state.
struct RunFacts {
  std::int64_t train_samples = 0;
  std::int64_t test_samples = 0;
  std::string device;  ///< "cpu" or "cuda"
  std::string device_name;
  std::int64_t threads = 0;
  std::string parameters_sha256;  ///< digest of all parameters' bytes in order of name
  std::string torch_version;
  std::string precision_notice;        ///< empty: nothing to say (emulation.h)
  std::vector<std::string> notices{};  ///< texts for people: data left out, cut off or changed
  nlohmann::ordered_json more = nlohmann::ordered_json::object();  ///< fields of this kind of model
};

/// Requires a finished state (at least one epoch).
Status WriteRunResult(const platform::Path& path, const RunDescription& run,
                      const TrainingState& state, const RunFacts& facts);

}  // namespace ebb::train
