#include "base/base64.h"

namespace ebb {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string ToBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  unsigned value = 0;
  int bits = 0;
  for (const char byte : bytes) {
    value = (value << 8 | static_cast<unsigned char>(byte)) & 0xffffff;
    for (bits += 8; bits >= 6;) {
      bits -= 6;
      text += kLetters[value >> bits & 63];
    }
  }
  if (bits > 0) text += kLetters[value << (6 - bits) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::optional<std::string> FromBase64(std::string_view text) {
  std::string bytes;
  unsigned value = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=' || c == '\n' || c == '\r' || c == ' ') continue;
    const auto digit = kLetters.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = (value << 6 | static_cast<unsigned>(digit)) & 0xffffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(value >> bits & 0xff);
  }
  return bytes;
}

}  // namespace ebb
