#include "train/text/tokenizer/byte_letters.h"

#include <array>

#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

constexpr std::size_t kBytes = 256;
constexpr std::size_t kLetterLimit = 0x144;  // all letters are below

bool IsPrintable(std::size_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

struct Letters {
  std::array<std::string, kBytes> letters;
  std::array<std::optional<unsigned char>, kLetterLimit> bytes;
};

// A printable byte is its own letter; the others are numbered from U+0100.
Letters MakeLetters() {
  Letters table;
  char32_t next = 0x100;
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    const char32_t letter = IsPrintable(byte) ? static_cast<char32_t>(byte) : next++;
    AppendCodePoint(table.letters[byte], letter);
    table.bytes[letter] = static_cast<unsigned char>(byte);
  }
  return table;
}

const Letters& Table() {
  static const Letters table = MakeLetters();
  return table;
}

}  // namespace

std::string_view ByteLetter(unsigned char byte) { return Table().letters[byte]; }

std::optional<unsigned char> ByteOfLetter(char32_t letter) {
  return letter < kLetterLimit ? Table().bytes[letter] : std::nullopt;
}

}  // namespace ebb::train
