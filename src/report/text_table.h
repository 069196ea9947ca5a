#pragma once
// A table of texts for people, in the columns of a terminal (base/columns.h).

#include <limits>
#include <string>
#include <vector>

namespace ebb::report {

/// Of a pipe or a file: lines may be as long as they want.
inline constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

struct TextTable {
  std::vector<std::string> headers;
  std::vector<std::vector<std::string>> rows;  ///< the first cell of a row is its name
  bool ends_in_text = false;                   ///< the last column is a sentence
  std::vector<std::size_t> texts = {};         ///< other columns that hold text
  std::vector<std::size_t> whole = {};         ///< of these: never cut, for they are to be typed
};

/// Columns as wide as their widest cell, empty ones left out; text to the left and figures to the
/// right. Control characters are replaced (Printable). While lines are longer than `columns`, the
/// widest text is cut ("…"); figures are never cut.
std::string AlignedTable(const TextTable& table, std::size_t columns = kAnyWidth);

/// The same without what does not fit: of the `count` columns from `first` on the last ones are
/// taken away until `columns` hold the others with enough of each text to be read.
TextTable Fitted(TextTable table, std::size_t first, std::size_t count, std::size_t columns);

}  // namespace ebb::report
