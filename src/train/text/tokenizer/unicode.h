#pragma once
// Properties of characters and normal forms of text by Unicode. Tokenizers are trained with the
// tables of one version of Unicode, so ours follow the `tokenizers` package and not the newest
// standard (docs/text-data.md names the versions). Pure.

#include <string>
#include <string_view>

namespace ebb::train {

/// The property White_Space.
bool IsSpace(char32_t code_point);
/// The class \w of regular expressions (UTS #18): letters, marks, decimal digits, connectors,
/// joiners.
bool IsWordCharacter(char32_t code_point);
/// The general category N.
bool IsNumber(char32_t code_point);

enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };

/// `text`, which must be UTF-8, in a normal form (UAX #15).
std::string Normalized(std::string_view text, NormalForm form);

}  // namespace ebb::train
