#include "report/draw/page_parts.h"

#include <gtest/gtest.h>

namespace ebb::report {
namespace {

std::string RowsOf(const TextTable& table) {
  const std::string card = TableCard(table);
  const auto begin = card.find("<tbody>") + 7;
  return card.substr(begin, card.find("</tbody>") - begin);
}

TEST(PageParts, ATableHasTheTextsOfItsRows) {
  const TextTable table{{"job", "<why>"}, {{"a & b", "1 < 2"}}, false};
  EXPECT_EQ(TableCard(table),
            "<div class=\"card scroll\" tabindex=\"0\"><table><thead><tr><th>job</th>"
            "<th>&lt;why&gt;</th></tr></thead><tbody><tr><th>a &amp; b</th><td>1 &lt; 2</td></tr>"
            "</tbody></table></div>");
}

TEST(PageParts, AnIntervalStandsBelowItsFigure) {
  TextTable table{{"policy", "saved", "energy", "read"},
                  {{"a (b)", "12.3 % (10.0..14.0)", "3 J ± 9 %", "measured 4 %, unknown 96 %"},
                   {"c", "-", "unknown (x)", "no energy"}},
                  false};
  table.page_breaks = {" (", " (", " ± ", ", "};
  EXPECT_EQ(RowsOf(table),
            "<tr><th>a (b)</th><td>12.3 %<small>10.0..14.0</small></td>"
            "<td>3 J<small>± 9 %</small></td>"
            "<td>measured 4 %<small>unknown 96 %</small></td></tr>"
            "<tr><th>c</th><td>-</td><td>unknown (x)</td><td>no energy</td></tr>");
}

TEST(PageParts, ASentenceAtTheEndOfARowIsWrapped) {
  EXPECT_EQ(RowsOf({{"job", "pieces", "why"}, {{"a", "2", "it waits"}}, true}),
            "<tr><th>a</th><td>2</td><td class=\"wrap\">it waits</td></tr>");
}

}  // namespace
}  // namespace ebb::report
