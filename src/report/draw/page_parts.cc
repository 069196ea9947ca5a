#include "report/draw/page_parts.h"

#include "report/draw/page_style.h"
#include "report/draw/svg_plot.h"

namespace ebb::report {

std::string Element(const std::string& tag, const std::string& text) {
  return "<" + tag + ">" + EscapeHtml(text) + "</" + tag + ">";
}

std::string Cells(const std::string& tag, const std::vector<std::string>& texts) {
  std::string html;
  for (const std::string& text : texts) html += Element(tag, text);
  return html;
}

std::string TableRow(const std::string& header, const std::vector<std::string>& cells) {
  return "<tr>" + Element("th", header) + Cells("td", cells) + "</tr>";
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
