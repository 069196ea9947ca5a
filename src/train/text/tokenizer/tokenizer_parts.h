#pragma once
// The parts of a tokenizer, for tokenizer.cc and the reader of its file only.

#include <optional>
#include <string>
#include <vector>

#include "train/text/tokenizer/added_tokens.h"
#include "train/text/tokenizer/byte_pairs.h"
#include "train/text/tokenizer/decoder.h"
#include "train/text/tokenizer/normalizer.h"
#include "train/text/tokenizer/pre_tokenizer.h"
#include "train/text/tokenizer/tokenizer.h"

namespace ebb::train {

struct TokenizerParts {
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  BytePairs model;
  AddedTokens added;
  TokenDecoder decoder;
  std::vector<TokenId> before, after;  ///< tokens around every text
  TokenId id_limit = 0;
  SpecialIds special;
  std::optional<std::string> chat_template;
};

/// Reads tokenizer.json, which does not contain the special ids and the chat template. `name` is
/// for messages.
Result<TokenizerParts> ParseTokenizerFile(std::string_view text, const std::string& name);

/// Adds the settings of tokenizer_config.json or special_tokens_map.json.
Status ParseTokenizerConfig(std::string_view text, const std::string& name, TokenizerParts& parts);

}  // namespace ebb::train
