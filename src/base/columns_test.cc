#include "base/columns.h"

#include <gtest/gtest.h>

namespace ebb {
namespace {

TEST(Columns, AreCountedAsATerminalDrawsThem) {
  EXPECT_EQ(ColumnsOf(""), 0u);
  EXPECT_EQ(ColumnsOf("train"), 5u);
  EXPECT_EQ(ColumnsOf("größe"), 5u);
  EXPECT_EQ(ColumnsOf("訓練"), 4u) << "East Asian characters are wide";
  EXPECT_EQ(ColumnsOf("ﾃｽﾄ"), 3u) << "and their half-width forms are not";
  EXPECT_EQ(ColumnsOf("한글"), 4u);
  EXPECT_EQ(ColumnsOf("\u1112\u1161\u11ab"), 2u) << "the same in its parts";
  EXPECT_EQ(ColumnsOf("🚀 go"), 5u);
  EXPECT_EQ(ColumnsOf("e\u0301"), 1u) << "a mark joins the letter before it";
  EXPECT_EQ(ColumnsOf("a\u200db\u200b"), 2u) << "joiners take nothing";
  EXPECT_EQ(ColumnsOf("━─…"), 3u);
}

TEST(Columns, AByteThatIsNotUtf8TakesOne) {
  EXPECT_EQ(ColumnsOf("\xff\x80z"), 3u);
  EXPECT_EQ(ColumnsOf("\xe8\xa8"), 2u) << "a character that is cut off";
  EXPECT_EQ(ColumnsOf("\xe8z\xa8"), 3u);
}

TEST(Columns, WhatIsCutSaysSoAndFits) {
  EXPECT_EQ(CutTo("train", 5), "train");
  EXPECT_EQ(CutTo("train", 4), "tra…");
  EXPECT_EQ(CutTo("train", 1), "…");
  EXPECT_EQ(CutTo("train", 0), "");
  EXPECT_EQ(CutTo("訓練場", 6), "訓練場");
  EXPECT_EQ(CutTo("訓練場", 5), "訓練…");
  EXPECT_EQ(CutTo("訓練場", 4), "訓…") << "half a character is not drawn";
  EXPECT_EQ(CutTo("e\u0301a", 1), "…");
  EXPECT_EQ(CutTo("ae\u0301", 2), "ae\u0301") << "a mark stays with its letter";
}

TEST(Columns, CutOrPadGivesAllOfThem) {
  EXPECT_EQ(CutOrPad("訓練場", 4), "訓… ");
  EXPECT_EQ(CutOrPad("訓練", 6), "訓練  ");
  EXPECT_EQ(Padded("訓練", 3), "訓練");
}

}  // namespace
}  // namespace ebb
