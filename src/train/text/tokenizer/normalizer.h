#pragma once
// Normalises a text before a tokenizer looks for words: the steps of `normalizer` in
// tokenizer.json. Pure.

#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "train/text/tokenizer/pattern.h"
#include "train/text/tokenizer/unicode.h"

namespace ebb::train {

struct PrependText {
  std::string text;  ///< prepended to every text that is not empty
};
struct ReplaceMatches {
  Pattern pattern;
  std::string replacement;
};
struct StripSpaces {
  bool left = false, right = false;
};
using NormalizerStep = std::variant<NormalForm, PrependText, ReplaceMatches, StripSpaces>;
using Normalizer = std::vector<NormalizerStep>;

/// `text` must be UTF-8.
Result<std::string> Normalize(const Normalizer& normalizer, std::string text);

/// The text without spaces at the chosen ends.
std::string_view Stripped(std::string_view text, const StripSpaces& strip);

}  // namespace ebb::train
