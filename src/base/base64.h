#pragma once
// Bytes as Base64 text (RFC 4648, section 4). Pure.

#include <optional>
#include <string>
#include <string_view>

namespace ebb {

std::string ToBase64(std::string_view bytes);
/// Skips line breaks and blanks. Returns nothing if the text has a character outside the
/// alphabet.
std::optional<std::string> FromBase64(std::string_view text);

}  // namespace ebb
