#include "report/text_table.h"

#include <algorithm>
#include <string_view>

#include "base/columns.h"
#include "base/text.h"

namespace ebb::report {
namespace {

constexpr std::string_view kMargin = "  ", kGap = "   ";
// Columns of a text: the fewest that cutting leaves, and enough to read it.
constexpr std::size_t kLeast = 8, kEnough = 24;

bool IsEmptyColumn(const TextTable& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row[column].empty() || row[column] == "-"; });
}

bool IsText(const TextTable& table, std::size_t column) {
  return column == 0 || (table.ends_in_text && column + 1 == table.headers.size()) ||
         std::ranges::count(table.texts, column) > 0;
}

bool CanBeCut(const TextTable& table, std::size_t column) {
  return IsText(table, column) && std::ranges::count(table.whole, column) == 0;
}

std::string Line(const TextTable& table, const std::vector<std::string>& cells,
                 const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0) continue;
    const std::string cell = CutTo(Printable(cells[i]), widths[i]);
    const std::string pad(widths[i] - ColumnsOf(cell), ' ');
    line +=
        std::string(line.empty() ? kMargin : kGap) + (IsText(table, i) ? cell + pad : pad + cell);
  }
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

// Widths of all columns; 0 for a column that is left out.
std::vector<std::size_t> WidthsOf(const TextTable& table) {
  std::vector<std::size_t> widths(table.headers.size(), 0);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0 && IsEmptyColumn(table, i)) continue;
    widths[i] = ColumnsOf(table.headers[i]);
    for (const auto& row : table.rows) widths[i] = std::max(widths[i], ColumnsOf(row[i]));
  }
  return widths;
}

// The width of a whole line.
std::size_t SumOf(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t width : widths)
    if (width > 0) sum += width + (sum == 0 ? kMargin : kGap).size();
  return sum;
}

// Cuts texts until lines fit, the widest text first.
void CutTexts(const TextTable& table, std::size_t columns, std::vector<std::size_t>& widths) {
  const auto spare = [&](std::size_t i) {
    const std::size_t least = std::max(kLeast, ColumnsOf(table.headers[i]));
    return CanBeCut(table, i) && widths[i] > least ? widths[i] : 0;
  };
  for (std::size_t sum = SumOf(widths); sum > columns; --sum) {
    std::size_t widest = 0;
    for (std::size_t i = 1; i < widths.size(); ++i)
      if (spare(i) > spare(widest)) widest = i;
    if (spare(widest) == 0) return;
    --widths[widest];
  }
}

bool CanBeRead(const TextTable& table, std::size_t columns) {
  std::vector<std::size_t> widths = WidthsOf(table);
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (CanBeCut(table, i)) widths[i] = std::min(widths[i], kEnough);
  return SumOf(widths) <= columns;
}

void TakeAway(TextTable& table, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.headers.erase(table.headers.begin() + at);
  for (auto& row : table.rows) row.erase(row.begin() + at);
  if (column < table.page_breaks.size()) table.page_breaks.erase(table.page_breaks.begin() + at);
  for (std::vector<std::size_t>* columns : {&table.texts, &table.whole}) {
    std::erase(*columns, column);
    for (std::size_t& other : *columns) other -= other > column ? 1 : 0;
  }
}

}  // namespace

std::string AlignedTable(const TextTable& table, std::size_t columns) {
  std::vector<std::size_t> widths = WidthsOf(table);
  CutTexts(table, columns, widths);
  std::string text = Line(table, table.headers, widths);
  for (const auto& row : table.rows) text += Line(table, row, widths);
  return text;
}

TextTable Fitted(TextTable table, std::size_t first, std::size_t count, std::size_t columns) {
  while (count > 0 && !CanBeRead(table, columns)) TakeAway(table, first + --count);
  return table;
}

}  // namespace ebb::report
