#pragma once
// Characters of Unicode 15 and 16 for libraries whose tables are older: PCRE2 10.42 has Unicode 14,
// utf8proc 2.8 has 15, and `tokenizers` has 16 (its Oniguruma 6.9.10).

#include <span>
#include <string_view>

namespace ebb::train {

struct AssignedRange {
  char32_t first = 0, last = 0;
  std::string_view category;  ///< the general category, two letters
};

/// The characters that were assigned after Unicode 14, in order.
std::span<const AssignedRange> AssignedSinceUnicode14();

}  // namespace ebb::train
