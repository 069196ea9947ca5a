#pragma once
// The alphabet of byte-level tokenizers: each of the 256 bytes as one printable character, so that
// a vocabulary of texts can hold any bytes (Radford et al. 2019, GPT-2). Pure.

#include <optional>
#include <string>
#include <string_view>

namespace ebb::train {

/// The letter of a byte, in UTF-8.
std::string_view ByteLetter(unsigned char byte);

/// The byte of a letter; nothing for any other character.
std::optional<unsigned char> ByteOfLetter(char32_t letter);

}  // namespace ebb::train
