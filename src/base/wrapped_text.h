#pragma once
// Breaks running text for a terminal at spaces. A terminal itself would break a long line in the
// middle of a word.

#include <string>
#include <string_view>

namespace ebb {

/// Breaks lines of `text` that take more than `columns` at their spaces. The rest of a line is
/// indented to the text behind the line's first label ("  note    ", "note: "). Two things are
/// never broken, because people copy them: text between two backquotes, and a command of Ebb that
/// ends a line after a colon.
std::string WrappedText(std::string_view text, std::size_t columns);

}  // namespace ebb
