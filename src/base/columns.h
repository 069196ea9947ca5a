#pragma once
// Text in the columns of a terminal. Characters of East Asian scripts and emoji take two columns,
// marks that join another character take none, and bytes do not count. Each character counts on its
// own, as most terminals draw it, even in a sequence that some terminals draw as one emoji.

#include <string>
#include <string_view>

namespace ebb {

/// The number of columns that the text takes in a terminal.
std::size_t ColumnsOf(std::string_view text);
/// The text, cut to at most `columns`. A text that was cut ends with "…".
std::string CutTo(std::string_view text, std::size_t columns);
/// The text with blanks at its end, up to `columns`.
std::string Padded(std::string text, std::size_t columns);
/// The text in exactly `columns`: cut or padded.
std::string CutOrPad(std::string_view text, std::size_t columns);

}  // namespace ebb
