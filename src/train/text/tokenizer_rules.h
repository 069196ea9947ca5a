#pragma once
// What stands around every text where transformers 4 is followed: its classes for the tokenizers of
// Llama and Gemma go by add_bos_token and add_eos_token of tokenizer_config.json, and pass over
// post_processor of tokenizer.json. Pure.

#include <string>
#include <vector>

#include "base/json_node.h"
#include "base/result.h"
#include "train/text/tokenizer_parts.h"

namespace ebb::train {

/// The files of a tokenizer's folder that have a say, as far as they are there.
struct TokenizerConfigs {
  JsonNode tokenizer;    ///< tokenizer_config.json
  JsonNode special_map;  ///< special_tokens_map.json, if it counts: before the former
  JsonNode model;        ///< config.json
  std::string name;      ///< of tokenizer_config.json, for messages
};

/// Sets what stands before and after a text as transformers 4.57 does. Whatever it would do that is
/// not known here is an Error with the key's name.
Status FollowTransformers4(const TokenizerConfigs& configs, TokenizerParts& parts);

}  // namespace ebb::train
