#pragma once
// The options of `ebb-train compress`: a model file, and how to make it smaller. Parsing is pure.

#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "train/options/command.h"

namespace ebb::train {

struct CompressOptions {
  std::string model;   ///< model file (model_file.h)
  std::string output;  ///< file to write
  double pruned = 0;   ///< share of the weights that become zero
  bool int8 = false;
};

using CompressRequest = std::variant<CompressOptions, TextToPrint>;

/// `arguments` are those after "compress".
Result<CompressRequest> ParseCompressOptions(std::span<const std::string> arguments);

}  // namespace ebb::train
