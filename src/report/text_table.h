#pragma once
// A table of texts for people, in the columns of a terminal (base/columns.h).

#include <limits>
#include <string>
#include <vector>

namespace ebb::report {

/// The width of a pipe or a file, where lines may have any length.
inline constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

struct TextTable {
  std::vector<std::string> headers;
  std::vector<std::vector<std::string>> rows;  ///< the first cell of a row is its name
  bool ends_in_text = false;                   ///< the last column is a sentence
  std::vector<std::size_t> texts = {};         ///< other columns that hold text
  std::vector<std::size_t> whole = {};         ///< those of `texts` never cut: people type them
  /// By column: where a page breaks its cells in two lines, because a figure with its interval is
  /// wide (" ± "). Empty: nowhere.
  std::vector<std::string> page_breaks = {};
};

/// The table as text. Columns are as wide as their widest cell, empty ones are left out; text is to
/// the left and figures to the right. Control characters are replaced (Printable). While lines are
/// longer than `columns`, the widest text is cut ("…"); figures are never cut.
std::string AlignedTable(const TextTable& table, std::size_t columns = kAnyWidth);

/// The table without columns that do not fit. Of the `count` columns from `first` on, the last ones
/// are removed until the others fit into `columns` with enough of each text to read it.
TextTable Fitted(TextTable table, std::size_t first, std::size_t count, std::size_t columns);

}  // namespace ebb::report
