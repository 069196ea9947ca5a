#pragma once
// Turns tokens back into text: the steps of `decoder` in tokenizer.json. Pure.

#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "train/text/tokenizer/pattern.h"

namespace ebb::train {

struct FromByteLetters {};
struct FromByteTokens {};  ///< tokens such as <0x0A>
struct JoinTokens {};
struct ReplaceInTokens {
  Pattern pattern;
  std::string replacement;
};
struct StripFromTokens {
  std::string character;
  std::size_t at_begin = 0, at_end = 0;  ///< at most so many of each token
};
struct FromMetaspace {
  std::string replacement;
  bool prepended = true;
};
using DecoderStep = std::variant<FromByteLetters, FromByteTokens, JoinTokens, ReplaceInTokens,
                                 StripFromTokens, FromMetaspace>;

/// Without steps, spaces join the tokens.
using TokenDecoder = std::vector<DecoderStep>;

Result<std::string> DecodeTokens(const TokenDecoder& decoder, std::vector<std::string> tokens);

}  // namespace ebb::train
