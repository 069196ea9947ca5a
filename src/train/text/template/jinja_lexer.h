#pragma once
// Cuts a Jinja template into text and tags, with the whitespace that trim_blocks and lstrip_blocks
// take away, and a tag into tokens. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb::train::jinja {

struct Token {
  enum class Kind { kName, kText, kInteger, kFloat, kOperator, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;
};

struct Segment {
  enum class Kind { kText, kPrint, kStatement };
  Kind kind = Kind::kText;
  std::string text;           ///< for kText
  std::vector<Token> tokens;  ///< for tags; the last one is kEnd
  std::size_t line = 1;
};

/// Errors name the line and have no `where`.
Result<std::vector<Segment>> CutTemplate(std::string_view text);

}  // namespace ebb::train::jinja
