#pragma once
// What `ebb-train compress` can be told: a model file, and how it is made smaller. Pure.

#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "train/command.h"

namespace ebb::train {

struct CompressOptions {
  std::string model;   ///< file (model_file.h)
  std::string output;  ///< file that is written
  double pruned = 0;   ///< share of the weights that become zero
  bool int8 = false;
};

using CompressRequest = std::variant<CompressOptions, TextToPrint>;

/// `arguments` after "compress".
Result<CompressRequest> ParseCompressOptions(std::span<const std::string> arguments);

}  // namespace ebb::train
