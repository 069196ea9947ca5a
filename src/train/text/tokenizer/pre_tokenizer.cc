#include "train/text/tokenizer/pre_tokenizer.h"

#include <algorithm>

#include "train/text/tokenizer/byte_letters.h"
#include "train/text/tokenizer/unicode.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

struct Part {
  TextRange range;
  bool match = false;
};

// The matches and the parts between them, in order.
std::vector<Part> Parts(const std::vector<TextRange>& matches, std::size_t length, bool inverted) {
  std::vector<Part> parts;
  std::size_t done = 0;
  for (const TextRange& match : matches) {
    if (match.begin > done) parts.push_back({{done, match.begin}, inverted});
    parts.push_back({match, !inverted});
    done = match.end;
  }
  if (done < length) parts.push_back({{done, length}, inverted});
  return parts;
}

// Joins each part with the one before where join(part, before).
template <typename Join>
void JoinWithPrevious(std::vector<Part>& parts, Join join) {
  std::vector<Part> joined;
  bool previous_match = false;
  for (const Part& part : parts) {
    if (!joined.empty() && join(part.match, previous_match))
      joined.back().range.end = part.range.end;
    else
      joined.push_back(part);
    previous_match = part.match;
  }
  parts = std::move(joined);
}

void JoinWithNext(std::vector<Part>& parts) {
  std::vector<Part> joined;
  bool next_match = false;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (!joined.empty() && part->match && !next_match)
      joined.back().range.begin = part->range.begin;
    else
      joined.push_back(*part);
    next_match = part->match;
  }
  std::reverse(joined.begin(), joined.end());
  parts = std::move(joined);
}

void Arrange(std::vector<Part>& parts, SplitBehavior behavior) {
  switch (behavior) {
    case SplitBehavior::kIsolated:
      return;
    case SplitBehavior::kRemoved:
      std::erase_if(parts, [](const Part& part) { return part.match; });
      return;
    case SplitBehavior::kMergedWithPrevious:
      return JoinWithPrevious(parts, [](bool match, bool previous) { return match && !previous; });
    case SplitBehavior::kMergedWithNext:
      return JoinWithNext(parts);
    case SplitBehavior::kContiguous:
      return JoinWithPrevious(parts, [](bool match, bool previous) { return match == previous; });
  }
}

// Cuts every piece by find(piece), which returns the matches within the piece.
template <typename Find>
Status SplitPieces(Pieces& pieces, SplitBehavior behavior, bool inverted, Find find) {
  std::vector<TextRange> ranges;
  ranges.reserve(pieces.ranges.size());
  for (const TextRange& piece : pieces.ranges) {
    const std::string_view text =
        std::string_view(pieces.text).substr(piece.begin, piece.end - piece.begin);
    EBB_ASSIGN_OR_RETURN(const std::vector<TextRange> matches, find(text));
    std::vector<Part> parts = Parts(matches, text.size(), inverted);
    Arrange(parts, behavior);
    for (const Part& part : parts) {
      if (part.range.begin < part.range.end)
        ranges.push_back({piece.begin + part.range.begin, piece.begin + part.range.end});
    }
  }
  pieces.ranges = std::move(ranges);
  return {};
}

Status Step(const SplitAtMatches& step, Pieces& pieces) {
  return SplitPieces(pieces, step.behavior, step.inverted,
                     [&](std::string_view text) { return step.pattern.Matches(text); });
}

Status Step(const SplitDigits& step, Pieces& pieces) {
  const auto digits = [](std::string_view text) -> Result<std::vector<TextRange>> {
    std::vector<TextRange> found;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t here = at;
      if (IsNumber(TakeCodePoint(text, at))) found.push_back({here, at});
    }
    return found;
  };
  return SplitPieces(pieces, step.each ? SplitBehavior::kIsolated : SplitBehavior::kContiguous,
                     false, digits);
}

// Rewrites every piece: rewrite(piece, number, text) appends the new piece to `text`.
template <typename Rewrite>
void RewritePieces(Pieces& pieces, Rewrite rewrite) {
  std::string text;
  text.reserve(pieces.text.size() + pieces.text.size() / 2);
  std::size_t number = 0;
  for (TextRange& piece : pieces.ranges) {
    const std::size_t begin = text.size();
    rewrite(std::string_view(pieces.text).substr(piece.begin, piece.end - piece.begin), number++,
            text);
    piece = {begin, text.size()};
  }
  pieces.text = std::move(text);
}

Status Step(const ToByteLetters& step, Pieces& pieces) {
  if (step.prefix_space) {
    RewritePieces(pieces, [](std::string_view piece, std::size_t, std::string& text) {
      if (!piece.starts_with(' ')) text += ' ';
      text += piece;
    });
  }
  if (step.pattern)
    EBB_RETURN_IF_ERROR(
        Step(SplitAtMatches{*step.pattern, SplitBehavior::kIsolated, false}, pieces));
  RewritePieces(pieces, [](std::string_view piece, std::size_t, std::string& text) {
    for (const char byte : piece) text += ByteLetter(static_cast<unsigned char>(byte));
  });
  return {};
}

Status Step(const ToMetaspace& step, Pieces& pieces) {
  RewritePieces(pieces, [&](std::string_view piece, std::size_t number, std::string& text) {
    const bool begins = piece.starts_with(' ') || piece.starts_with(step.replacement);
    const bool first = number == 0 && pieces.at_start;
    if (!begins && (step.prepend == ToMetaspace::Prepend::kAlways ||
                    (step.prepend == ToMetaspace::Prepend::kFirst && first)))
      text += step.replacement;
    for (const char byte : piece) {
      if (byte == ' ')
        text += step.replacement;
      else
        text += byte;
    }
  });
  if (!step.split) return {};
  const auto find = [&](std::string_view text) -> Result<std::vector<TextRange>> {
    std::vector<TextRange> found;
    for (std::size_t at = text.find(step.replacement); at != text.npos;
         at = text.find(step.replacement, at + step.replacement.size()))
      found.push_back({at, at + step.replacement.size()});
    return found;
  };
  return SplitPieces(pieces, SplitBehavior::kMergedWithNext, false, find);
}

}  // namespace

const char* const kByteLevelExpression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

Status PreTokenize(const PreTokenizer& pre_tokenizer, Pieces& pieces) {
  for (const PreTokenizerStep& step : pre_tokenizer)
    EBB_RETURN_IF_ERROR(std::visit([&](const auto& known) { return Step(known, pieces); }, step));
  return {};
}

}  // namespace ebb::train
