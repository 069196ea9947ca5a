#pragma once
// Translates regular expressions of tokenizers from Oniguruma's syntax to PCRE2's. Pure.

#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::train {

/// An expression for PCRE2 (UTF, UCP, MULTILINE, newline LF) that matches what Oniguruma matches.
/// An Error if the two read a part differently and PCRE2's syntax cannot express its meaning.
Result<std::string> AsPcre2(std::string_view expression);

}  // namespace ebb::train
