#pragma once
// A regular expression as tokenizer.json writes it (Oniguruma's syntax), matched by PCRE2 with its
// compiler of machine code. Where both differ, the expression is translated; what cannot be is an
// Error that names it. A Pattern is not changed by matching: threads may share it.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb::train {

struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Pattern {
 public:
  /// Errors have ExitCode::kConfiguration.
  static Result<Pattern> Compile(const std::string& expression);
  /// Of PCRE2's own syntax, of text without line breaks.
  static Result<Pattern> CompilePcre2(const std::string& expression);
  /// One that finds `text` itself, not an empty one.
  static Result<Pattern> Literal(const std::string& text);

  /// Every match from left to right; `text` must be UTF-8. An Error where a match takes more steps
  /// than the library allows.
  Result<std::vector<TextRange>> Matches(std::string_view text) const;

 private:
  struct Compiled;
  static Result<Pattern> Make(const std::string& shown, const std::string& translated);
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace ebb::train
