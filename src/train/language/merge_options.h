#pragma once
// What `ebb-train merge` can be told: a model with an adapter added into its weights. Pure.

#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "train/command.h"

namespace ebb::train {

struct MergeOptions {
  std::string base;     ///< folder of the model
  std::string adapter;  ///< folder of an adapter in PEFT's format
  std::string output;   ///< folder that is made
};

using MergeRequest = std::variant<MergeOptions, TextToPrint>;

/// `arguments` after "merge".
Result<MergeRequest> ParseMergeOptions(std::span<const std::string> arguments);

}  // namespace ebb::train
