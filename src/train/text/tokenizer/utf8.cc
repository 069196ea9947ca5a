#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

struct LeadByte {
  std::size_t following = 0;
  unsigned char second_low = 0x80, second_high = 0xbf;  ///< range of the next byte
  char32_t bits = 0;
};

// Looks up Table 3-7 of the Unicode Standard: well-formed UTF-8 byte sequences. `following` is 0
// for a byte that does not begin one.
LeadByte Lead(unsigned char byte) {
  if (byte >= 0xc2 && byte <= 0xdf) return {1, 0x80, 0xbf, byte & 0x1fU};
  if (byte == 0xe0) return {2, 0xa0, 0xbf, 0};
  if (byte == 0xed) return {2, 0x80, 0x9f, 0xd};
  if (byte >= 0xe1 && byte <= 0xef) return {2, 0x80, 0xbf, byte & 0xfU};
  if (byte == 0xf0) return {3, 0x90, 0xbf, 0};
  if (byte >= 0xf1 && byte <= 0xf3) return {3, 0x80, 0xbf, byte & 7U};
  if (byte == 0xf4) return {3, 0x80, 0x8f, 4};
  return {};
}

struct Taken {
  char32_t code_point = kReplacementCharacter;
  bool well_formed = false;
};

Taken Take(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return {first, true};
  const LeadByte lead = Lead(first);
  char32_t code_point = lead.bits;
  for (std::size_t i = 0; i < lead.following; ++i) {
    if (at == text.size()) return {};
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool fits =
        i == 0 ? byte >= lead.second_low && byte <= lead.second_high : byte >= 0x80 && byte <= 0xbf;
    if (!fits) return {};
    code_point = code_point << 6 | (byte & 0x3fU);
    ++at;
  }
  if (lead.following == 0) return {};
  return {code_point, true};
}

}  // namespace

char32_t TakeCodePoint(std::string_view text, std::size_t& at) { return Take(text, at).code_point; }

void AppendCodePoint(std::string& text, char32_t code_point) {
  const auto byte = [&](char32_t value) { text += static_cast<char>(value); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xc0 | code_point >> 6);
    byte(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    byte(0xe0 | code_point >> 12);
    byte(0x80 | (code_point >> 6 & 0x3f));
    byte(0x80 | (code_point & 0x3f));
  } else {
    byte(0xf0 | code_point >> 18);
    byte(0x80 | (code_point >> 12 & 0x3f));
    byte(0x80 | (code_point >> 6 & 0x3f));
    byte(0x80 | (code_point & 0x3f));
  }
}

bool IsUtf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (!Take(text, at).well_formed) return false;
  }
  return true;
}

std::string AsUtf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) AppendCodePoint(result, TakeCodePoint(text, at));
  return result;
}

}  // namespace ebb::train
