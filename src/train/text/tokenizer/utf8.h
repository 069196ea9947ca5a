#pragma once
// Text as code points. Bytes that are not UTF-8 are never an error here: each ill-formed sequence
// counts as one U+FFFD, cut as the Unicode Standard recommends (chapter 3.9, maximal subparts).
// Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace ebb::train {

inline constexpr char32_t kReplacementCharacter = 0xfffd;

/// Returns the code point at `at` (< text.size()), and moves `at` past it.
char32_t TakeCodePoint(std::string_view text, std::size_t& at);

/// `code_point` must be a Unicode scalar value.
void AppendCodePoint(std::string& text, char32_t code_point);

bool IsUtf8(std::string_view text);

/// `text` with each ill-formed sequence as U+FFFD; IsUtf8 holds for the result.
std::string AsUtf8(std::string_view text);

}  // namespace ebb::train
