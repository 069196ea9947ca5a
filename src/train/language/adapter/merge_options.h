#pragma once
// The options of `ebb-train merge`, which adds an adapter into the weights of a model. Pure.

#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "train/options/command.h"

namespace ebb::train {

struct MergeOptions {
  std::string base;     ///< folder of the model
  std::string adapter;  ///< folder of an adapter in PEFT's format
  std::string output;   ///< folder to create
};

using MergeRequest = std::variant<MergeOptions, TextToPrint>;

/// `arguments` are those after "merge".
Result<MergeRequest> ParseMergeOptions(std::span<const std::string> arguments);

}  // namespace ebb::train
