#pragma once
// Regular expressions of the plain kind: letters, `.`, `.*`, `.+`, `^`, `$`, a backslash before a
// literal character, alternatives at the top (`A100|H100`), and `(?i)` at the beginning. Every
// author of an object can write a pattern, so no pattern may take long: time is at most the length
// of the pattern times that of the text. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace ebb::kubernetes {

/// Tells if the pattern is found in the text; nothing: the pattern is not plain.
std::optional<bool> IsFound(std::string_view pattern, std::string_view text);

}  // namespace ebb::kubernetes
