#include "report/markdown.h"

namespace ebb::report {

std::string EscapeMarkdown(std::string_view text) {
  constexpr std::string_view kSpecial = "|\\<`*_[&~$";
  std::string escaped;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

std::string MarkdownTable(const TextTable& table) {
  std::string text;
  const auto print = [&](const std::vector<std::string>& row) {
    text += "|";
    for (const std::string& cell : row) text += " " + EscapeMarkdown(cell) + " |";
    text += "\n";
  };
  print(table.headers);
  text += "|";
  for (std::size_t i = 0; i < table.headers.size(); ++i) text += "---|";
  text += "\n";
  for (const std::vector<std::string>& row : table.rows) print(row);
  return text;
}

}  // namespace ebb::report
