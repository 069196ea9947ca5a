#pragma once
// Running text for a terminal: a terminal breaks a long line in the middle of a word.

#include <string>
#include <string_view>

namespace ebb {

/// Breaks the lines of `text` that take more columns at their spaces. A line goes on under what its
/// first label ("  note    ", "note: ") is followed by. Not broken are what stands between two `
/// and a command of Ebb that ends a line after a colon: people copy both.
std::string WrappedText(std::string_view text, std::size_t columns);

}  // namespace ebb
