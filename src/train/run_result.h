#pragma once
// train_result.json: what a finished run reports to whoever started it (docs/train.md, "Result").

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "platform/file.h"
#include "train/options.h"
#include "train/training_state.h"

namespace ebb::train {

/// What only the process that finished the run knows; the rest comes from the options and the
/// state.
struct RunFacts {
  std::int64_t train_samples = 0;
  std::int64_t test_samples = 0;
  std::string device;  ///< "cpu" or "cuda"
  std::string device_name;
  std::int64_t threads = 0;
  std::string parameters_sha256;  ///< of all parameters' bytes in order of name
  std::string torch_version;
  std::string precision_notice;  ///< empty: nothing to say (emulation.h)
};

/// Requires a finished state (at least one epoch).
Status WriteRunResult(const platform::Path& path, const Options& options,
                      const TrainingState& state, const RunFacts& facts);

}  // namespace ebb::train
