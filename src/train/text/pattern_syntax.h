#pragma once
// Regular expressions of tokenizers, from Oniguruma's syntax to PCRE2's. Pure.

#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::train {

/// An expression for PCRE2 (UTF, UCP, MULTILINE, newline LF) that matches what Oniguruma matches.
/// An Error where the two mean something else and it cannot be said in the other syntax.
Result<std::string> AsPcre2(std::string_view expression);

}  // namespace ebb::train
