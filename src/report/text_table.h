#pragma once
// A table of texts and its columns in a terminal, where a character takes a column and its bytes do
// not count.

#include <string>
#include <string_view>
#include <vector>

namespace ebb::report {

struct TextTable {
  std::vector<std::string> headers;
  std::vector<std::vector<std::string>> rows;  ///< the first cell of a row is its name
  bool ends_in_text = false;                   ///< the last column is a sentence
};

/// Columns that a terminal needs for it.
std::size_t ColumnsOf(std::string_view text);
/// The beginning of it that fits into so many.
std::string CutTo(std::string_view text, std::size_t columns);
/// With blanks at its end, up to `columns`.
std::string Padded(std::string text, std::size_t columns);
/// Columns as wide as their widest cell, empty ones left out; numbers to the right. Control
/// characters are replaced (Printable).
std::string AlignedTable(const TextTable& table);

/// The same of at most `columns`, as far as that can be had: of the `count` columns from `first` on
/// those that do not fit are taken away, from the last one on. A sentence at the end of the rows
/// may be longer than the rest of the line.
TextTable Fitted(TextTable table, std::size_t first, std::size_t count, std::size_t columns);

}  // namespace ebb::report
