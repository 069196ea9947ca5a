#pragma once
// How a tokenizer cuts a text into the pieces that it encodes one by one: the steps of
// `pre_tokenizer` in tokenizer.json. Pure.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "train/text/pattern.h"

namespace ebb::train {

/// A text and its pieces, which are not empty.
struct Pieces {
  std::string text;
  std::vector<TextRange> ranges;
  bool at_start = true;  ///< the first piece is the beginning of what is encoded
};

/// What becomes of the matches, which are the borders.
enum class SplitBehavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

struct SplitAtMatches {
  Pattern pattern;
  SplitBehavior behavior = SplitBehavior::kIsolated;
  bool inverted = false;  ///< what lies between the matches counts as match
};
struct SplitDigits {
  bool each = false;  ///< every digit alone
};
struct ToByteLetters {
  bool prefix_space = false;       ///< each piece begins with a space
  std::optional<Pattern> pattern;  ///< split at its matches first
};
struct ToMetaspace {
  enum class Prepend { kAlways, kFirst, kNever };
  std::string replacement;  ///< of spaces: one character
  Prepend prepend = Prepend::kAlways;
  bool split = true;
};
using PreTokenizerStep = std::variant<SplitAtMatches, SplitDigits, ToByteLetters, ToMetaspace>;
using PreTokenizer = std::vector<PreTokenizerStep>;

/// GPT-2's expression, which byte-level tokenizers split by unless they say otherwise.
extern const char* const kByteLevelExpression;

/// `pieces.text` must be UTF-8.
Status PreTokenize(const PreTokenizer& pre_tokenizer, Pieces& pieces);

}  // namespace ebb::train
