#include "report/text_table.h"

#include <gtest/gtest.h>

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

std::size_t Widest(const TextTable& table) {
  std::size_t widest = 0;
  const std::string text = AlignedTable(table);
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

TEST(TextTable, ACutNeverDividesACharacter) {
  EXPECT_EQ(CutTo("12 \u00b5g", 4), "12 \u00b5");
  EXPECT_EQ(CutTo("12 \u00b5g", 3), "12 ");
  EXPECT_EQ(CutTo("12 \u00b5g", 9), "12 \u00b5g");
}

// The second to fourth may go.
TEST(TextTable, WhatDoesNotFitIsTakenAwayFromTheLastOn) {
  TextTable table = ATable();
  for (auto& row : table.rows) row.back().clear();
  const std::size_t whole = Widest(table);
  EXPECT_EQ(Fitted(table, 1, 3, whole).headers, table.headers);
  std::size_t before = table.headers.size();
  for (std::size_t columns = whole; columns > 0; --columns) {
    const TextTable fitted = Fitted(table, 1, 3, columns);
    const std::size_t kept = fitted.headers.size() - 3;
    if (kept > 0) {
      EXPECT_LE(Widest(fitted), columns);
    }
    EXPECT_LE(fitted.headers.size(), before);
    before = fitted.headers.size();
    EXPECT_EQ(fitted.headers.front(), "name");
    EXPECT_EQ(fitted.headers[kept + 1], "loss");
    for (std::size_t i = 0; i < kept; ++i) EXPECT_EQ(fitted.headers[i + 1], table.headers[i + 1]);
    EXPECT_EQ(fitted.rows[0].size(), fitted.headers.size());
  }
  EXPECT_EQ(before, 3u) << "the others stay whatever the width";
  EXPECT_EQ(Fitted(ATable(), 1, 3, whole).headers, table.headers) << "a sentence does not count";
}

}  // namespace
}  // namespace ebb::report
