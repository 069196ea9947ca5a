#pragma once
// Text in the columns of a terminal. Characters of East Asian scripts and emoji take two columns,
// marks that join another character take none, and bytes do not count. Each character is counted by
// itself, as most terminals draw it, also in a sequence that some draw as one emoji.

#include <string>
#include <string_view>

namespace ebb {

/// Columns that a terminal needs for it.
std::size_t ColumnsOf(std::string_view text);
/// At most so many columns of it; if it is longer, "…" at the end says so.
std::string CutTo(std::string_view text, std::size_t columns);
/// With blanks at its end, up to `columns`.
std::string Padded(std::string text, std::size_t columns);
/// Exactly `columns`.
std::string CutOrPad(std::string_view text, std::size_t columns);

}  // namespace ebb
