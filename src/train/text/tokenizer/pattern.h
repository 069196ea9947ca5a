#pragma once
// A regular expression in the syntax of tokenizer.json (Oniguruma's), matched by PCRE2 with its
// compiler of machine code. Expressions that PCRE2 reads differently are translated; an Error names
// a part that cannot be translated. Matching does not change a Pattern: threads may share it.

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
  /// Compiles PCRE2's own syntax, for text without line breaks.
  static Result<Pattern> CompilePcre2(const std::string& expression);
  /// A pattern that finds `text` itself, which must not be empty.
  static Result<Pattern> Literal(const std::string& text);

  /// Every match from left to right; `text` must be UTF-8. An Error if a match takes more steps
  /// than the library allows.
  Result<std::vector<TextRange>> Matches(std::string_view text) const;

 private:
  struct Compiled;
  static Result<Pattern> Make(const std::string& shown, const std::string& translated);
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace ebb::train
