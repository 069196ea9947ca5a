#pragma once
// The options of `ebb-train generate`, which completes a prompt with a model, with an adapter or
// without. Pure.

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "base/result.h"
#include "train/language/weights/base_weights.h"
#include "train/options/command.h"
#include "train/text/tokenizer/tokenizer.h"

namespace ebb::train {

struct GenerateOptions {
  std::string base;     ///< folder of the model, with tokenizer.json
  std::string adapter;  ///< folder of an adapter in PEFT's format; empty: none
  std::string prompt;
  bool chat = false;  ///< the prompt is a user's message, written by the tokenizer's chat template
  std::string system_message;  ///< only for a chat: message before the prompt
  TokenizerRules tokenizer_rules = TokenizerRules::kTransformers5;
  std::int64_t max_new_tokens = 128;
  double temperature = 0;
  std::int64_t top_k = 0;
  double top_p = 1;
  std::uint64_t seed = 1;
  Precision precision = Precision::kBf16;
  BaseWeights base_weights = BaseWeights::kPlain;
  DeviceChoice device = DeviceChoice::kAuto;
  std::int64_t threads = 0;
  bool json = false;  ///< one JSON object instead of text as it comes
};

using GenerateRequest = std::variant<GenerateOptions, TextToPrint>;

/// `arguments` are those after "generate".
Result<GenerateRequest> ParseGenerateOptions(std::span<const std::string> arguments);

}  // namespace ebb::train
