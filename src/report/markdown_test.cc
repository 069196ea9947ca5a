#include "report/markdown.h"

#include <gtest/gtest.h>

namespace ebb::report {
namespace {

TEST(Markdown, CharactersOfItsOwnAreEscaped) {
  EXPECT_EQ(EscapeMarkdown("a|b \\ <b> `c` *d* _e_ [f] &amp; ~~g~~ $h$"),
            "a\\|b \\\\ \\<b> \\`c\\` \\*d\\* \\_e\\_ \\[f] \\&amp; \\~\\~g\\~\\~ \\$h\\$");
  EXPECT_EQ(EscapeMarkdown("1.2 kWh ± 30 % (PUE 1.2)"), "1.2 kWh ± 30 % (PUE 1.2)");
}

TEST(Markdown, ALineBreakEndsNoRow) {
  EXPECT_EQ(EscapeMarkdown("one\ntwo\r\nthree"), "one two  three");
  const TextTable table{{"name", "energy"}, {{"a\n| b", "1 J"}}, false};
  EXPECT_EQ(MarkdownTable(table), "| name | energy |\n|---|---|\n| a \\| b | 1 J |\n");
}

}  // namespace
}  // namespace ebb::report
