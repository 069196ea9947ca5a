#pragma once
// Bytes as text (RFC 4648, section 4). Pure.

#include <optional>
#include <string>
#include <string_view>

namespace ebb {

std::string ToBase64(std::string_view bytes);
/// Ends of lines and blanks are skipped; nothing for what has other characters.
std::optional<std::string> FromBase64(std::string_view text);

}  // namespace ebb
