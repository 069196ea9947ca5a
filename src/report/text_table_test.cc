#include "report/text_table.h"

#include <gmock/gmock.h>

#include "base/columns.h"
#include "base/text.h"

namespace ebb::report {
namespace {

TextTable ATable() {
  return {{"name", "rate", "empty",
           "gr\xc3\xb6\xc3\x9f"
           "e",
           "loss", ""},
          {{"first", "1e-04", "", "7", "0.25", "a sentence that is longer than all the rest"},
           {"second", "2", "-", "80", "", ""}},
          true};
}

std::size_t WidestLine(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string_view line : Split(text, '\n')) widest = std::max(widest, ColumnsOf(line));
  return widest;
}

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
  EXPECT_EQ(AlignedTable(ATable()),
            "  name      rate   gr\xc3\xb6\xc3\x9f"
            "e   loss\n"
            "  first    1e-04       7   0.25   a sentence that is longer than all the rest\n"
            "  second       2      80\n");
}

// A table of a queue: names of any script, a figure and a sentence.
TextTable AQueue() {
  return {{"job", "name", "g", "reason"},
          {{"1", "訓練-大規模-言語", "12.5", "waiting: 250 g/kWh now, 100 g/kWh expected at 12:00"},
           {"2", "🚀 e\u0301tude", "1234567.8", "running"}},
          true,
          {1}};
}

TEST(TextTable, WideCharactersAndJoiningMarksStayInTheirColumns) {
  EXPECT_EQ(AlignedTable(AQueue()),
            "  job   name                       g   reason\n"
            "  1     訓練-大規模-言語        12.5   waiting: 250 g/kWh now, 100 g/kWh expected at "
            "12:00\n"
            "  2     🚀 e\u0301tude           1234567.8   running\n");
}

TEST(TextTable, TheWidestTextIsCutUntilLinesFitAndFiguresAreNot) {
  EXPECT_EQ(AlignedTable(AQueue(), 50),
            "  job   name                    g   reason\n"
            "  1     訓練-大規模-…        12.5   waiting: 250 …\n"
            "  2     🚀 e\u0301tude        1234567.8   running\n");
  for (std::size_t columns = 39; columns < 120; ++columns)
    EXPECT_LE(WidestLine(AlignedTable(AQueue(), columns)), columns);
  const std::string least = AlignedTable(AQueue(), 1);
  EXPECT_THAT(least, testing::HasSubstr("1234567.8"));
  EXPECT_LE(WidestLine(least), 39u) << "texts are as short as they may be";
}

// Columns two to four may be left out.
TEST(TextTable, WhatIsToBeTypedIsNeverCut) {
  TextTable table;
  table.headers = {"run", "energy", "why"};
  table.rows = {{"runs/train.py-20260504T193007Z-3f2a", "3.8 J", "because of the wind"}};
  table.texts = {2};
  table.whole = {0};
  EXPECT_NE(AlignedTable(table, 60).find("3f2a    3.8 J   because of"), std::string::npos);
  EXPECT_EQ(Fitted(table, 1, 1, 50).headers, (std::vector<std::string>{"run", "why"}));
}

TEST(TextTable, WhatDoesNotFitIsTakenAwayFromTheLastOn) {
  TextTable table = ATable();
  for (auto& row : table.rows) row.back().clear();
  const std::size_t whole = WidestLine(AlignedTable(table));
  EXPECT_EQ(Fitted(table, 1, 3, whole).headers, table.headers);
  std::size_t before = table.headers.size();
  for (std::size_t columns = whole; columns > 0; --columns) {
    const TextTable fitted = Fitted(table, 1, 3, columns);
    const std::size_t kept = fitted.headers.size() - 3;
    if (kept > 0) {
      EXPECT_LE(WidestLine(AlignedTable(fitted)), columns);
    }
    EXPECT_LE(fitted.headers.size(), before);
    before = fitted.headers.size();
    EXPECT_EQ(fitted.headers.front(), "name");
    EXPECT_EQ(fitted.headers[kept + 1], "loss");
    for (std::size_t i = 0; i < kept; ++i) EXPECT_EQ(fitted.headers[i + 1], table.headers[i + 1]);
    EXPECT_EQ(fitted.rows[0].size(), fitted.headers.size());
  }
  EXPECT_EQ(before, 3u) << "the others stay whatever the width";
}

TEST(TextTable, AColumnGoesBeforeASentenceIsTooShortToRead) {
  const std::size_t figures = WidestLine(AlignedTable(ATable())) - 43;
  EXPECT_EQ(Fitted(ATable(), 1, 3, figures + 24).headers, ATable().headers);
  EXPECT_EQ(Fitted(ATable(), 1, 3, figures + 23).headers.size(), ATable().headers.size() - 1);
}

TEST(TextTable, TextsAreTheSameOnesWhenAColumnBeforeThemGoes) {
  const TextTable fitted =
      Fitted({{"a", "b", "c"}, {{"one", "2", "text"}}, false, {1, 2}}, 1, 1, 1);
  EXPECT_EQ(fitted.texts, std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace ebb::report
