#pragma once
// Cuts a text into the pieces that a tokenizer encodes one by one: the steps of `pre_tokenizer` in
// tokenizer.json. Pure.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "train/text/tokenizer/pattern.h"

namespace ebb::train {

/// A text and its pieces, none of which is empty.
struct Pieces {
  std::string text;
  std::vector<TextRange> ranges;
  bool at_start = true;  ///< the first piece begins the encoded text
};

/// The treatment of the matches, which are the borders.
enum class SplitBehavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };

struct SplitAtMatches {
  Pattern pattern;
  SplitBehavior behavior = SplitBehavior::kIsolated;
  bool inverted = false;  ///< parts between the matches count as matches
};
struct SplitDigits {
  bool each = false;  ///< splits off every digit alone
};
struct ToByteLetters {
  bool prefix_space = false;       ///< puts a space before each piece
  std::optional<Pattern> pattern;  ///< splits at the matches of this first
};
struct ToMetaspace {
  enum class Prepend { kAlways, kFirst, kNever };
  std::string replacement;  ///< one character that replaces spaces
  Prepend prepend = Prepend::kAlways;
  bool split = true;
};
using PreTokenizerStep = std::variant<SplitAtMatches, SplitDigits, ToByteLetters, ToMetaspace>;
using PreTokenizer = std::vector<PreTokenizerStep>;

/// GPT-2's expression, by which byte-level tokenizers split unless another is given.
extern const char* const kByteLevelExpression;

/// `pieces.text` must be UTF-8.
Status PreTokenize(const PreTokenizer& pre_tokenizer, Pieces& pieces);

}  // namespace ebb::train
