#include "report/draw/page_parts.h"

#include "base/text.h"
#include "report/draw/page_style.h"
#include "report/draw/svg_plot.h"

namespace ebb::report {
namespace {

// A cell in two lines: the second begins at `page_break`, without brackets around it.
std::string CellHtml(const std::string& text, const std::string& page_break) {
  const auto at = page_break.empty() ? std::string::npos : text.find(page_break);
  if (at == std::string::npos) return Element("td", text);
  std::string_view below = Trim(std::string_view(text).substr(at + 1));
  if (below.starts_with('(')) below = below.substr(1, below.size() - 2);
  return "<td>" + EscapeHtml(text.substr(0, at)) + "<small>" + EscapeHtml(below) + "</small></td>";
}

std::string RowHtml(const TextTable& table, const std::vector<std::string>& row) {
  std::string html = "<tr>" + Element("th", row.front());
  for (std::size_t i = 1; i < row.size(); ++i) {
    const bool is_sentence = table.ends_in_text && i + 1 == row.size();
    if (is_sentence)
      html += "<td class=\"wrap\">" + EscapeHtml(row[i]) + "</td>";
    else
      html += CellHtml(row[i], i < table.page_breaks.size() ? table.page_breaks[i] : "");
  }
  return html + "</tr>";
}

}  // namespace

std::string Element(const std::string& tag, const std::string& text) {
  return "<" + tag + ">" + EscapeHtml(text) + "</" + tag + ">";
}

std::string Cells(const std::string& tag, const std::vector<std::string>& texts) {
  std::string html;
  for (const std::string& text : texts) html += Element(tag, text);
  return html;
}

std::string TableCard(const TextTable& table) {
  std::string rows;
  for (const std::vector<std::string>& row : table.rows) rows += RowHtml(table, row);
  return TableCard(table.headers, rows);
}

std::string TableCard(const std::vector<std::string>& headers, const std::string& rows) {
  return "<div class=\"card scroll\" tabindex=\"0\"><table><thead><tr>" + Cells("th", headers) +
         "</tr></thead><tbody>" + rows + "</tbody></table></div>";
}

std::string HtmlPage(const std::string& title, const std::string& body) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\">\n" +
         Element("title", title) + "\n<style>" + kPageStyle +
         "</style>\n</head>\n<body>\n<main>\n" + body + "\n</main>\n</body>\n</html>\n";
}

}  // namespace ebb::report
