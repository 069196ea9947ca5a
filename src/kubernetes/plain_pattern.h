#pragma once
// Regular expressions of the plain kind: letters, `.`, `.*`, `.+`, `^`, `$`, a backslash before
// what is meant as it stands, alternatives at the top (`A100|H100`), and `(?i)` at the beginning.
// Whoever may write an object may write a pattern, so that no pattern may take long: time is at
// most the length of the pattern times that of the text. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace ebb::kubernetes {

/// Whether the pattern is found in the text; nothing: it is of another kind.
std::optional<bool> IsFound(std::string_view pattern, std::string_view text);

}  // namespace ebb::kubernetes
