#pragma once
// The tokens around every text if transformers 4 is followed: its classes for the tokenizers of
// Llama and Gemma use add_bos_token and add_eos_token of tokenizer_config.json, and ignore
// post_processor of tokenizer.json. Pure.

#include <string>
#include <vector>

#include "base/json_node.h"
#include "base/result.h"
#include "train/text/tokenizer/tokenizer_parts.h"

namespace ebb::train {

/// The files of a tokenizer's folder that these rules use, if they exist.
struct TokenizerConfigs {
  JsonNode tokenizer;    ///< tokenizer_config.json
  JsonNode special_map;  ///< special_tokens_map.json, if it counts; overrides the former
  JsonNode model;        ///< config.json
  std::string name;      ///< path of tokenizer_config.json for messages
};

/// Sets the tokens before and after a text as transformers 4.57 does. An Error names a key whose
/// effect is not known here.
Status FollowTransformers4(const TokenizerConfigs& configs, TokenizerParts& parts);

}  // namespace ebb::train
