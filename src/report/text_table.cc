#include "report/text_table.h"

#include <algorithm>

#include "base/text.h"

namespace ebb::report {
namespace {

constexpr std::string_view kMargin = "  ", kGap = "   ";

bool IsEmptyColumn(const TextTable& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row[column].empty() || row[column] == "-"; });
}

std::string Line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                 bool ends_in_text) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0) continue;
    const bool left = i == 0 || (ends_in_text && i + 1 == cells.size());
    const std::string cell = Printable(cells[i]);
    const std::string pad(widths[i] - ColumnsOf(cell), ' ');
    line += std::string(line.empty() ? kMargin : kGap) + (left ? cell + pad : pad + cell);
  }
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

// 0: of a column that is left out.
std::vector<std::size_t> WidthsOf(const TextTable& table) {
  std::vector<std::size_t> widths(table.headers.size(), 0);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0 && IsEmptyColumn(table, i)) continue;
    widths[i] = ColumnsOf(table.headers[i]);
    for (const auto& row : table.rows) widths[i] = std::max(widths[i], ColumnsOf(row[i]));
  }
  return widths;
}

// Of its lines, without the sentence at their end.
std::size_t WidthOf(const TextTable& table) {
  std::vector<std::size_t> widths = WidthsOf(table);
  if (table.ends_in_text) widths.pop_back();
  std::size_t sum = 0;
  for (const std::size_t width : widths)
    if (width > 0) sum += width + (sum == 0 ? kMargin : kGap).size();
  return sum;
}

}  // namespace

std::size_t ColumnsOf(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string CutTo(std::string_view text, std::size_t columns) {
  std::size_t used = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts_character && used++ == columns) return std::string(text.substr(0, i));
  }
  return std::string(text);
}

std::string Padded(std::string text, std::size_t columns) {
  const std::size_t taken = ColumnsOf(text);
  if (taken < columns) text.append(columns - taken, ' ');
  return text;
}

std::string AlignedTable(const TextTable& table) {
  const std::vector<std::size_t> widths = WidthsOf(table);
  std::string text = Line(table.headers, widths, table.ends_in_text);
  for (const auto& row : table.rows) text += Line(row, widths, table.ends_in_text);
  return text;
}

TextTable Fitted(TextTable table, std::size_t first, std::size_t count, std::size_t columns) {
  const auto take_away = [](std::vector<std::string>& cells, std::size_t column) {
    cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(column));
  };
  while (count > 0 && WidthOf(table) > columns) {
    --count;
    take_away(table.headers, first + count);
    for (auto& row : table.rows) take_away(row, first + count);
  }
  return table;
}

}  // namespace ebb::report
