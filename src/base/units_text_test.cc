#include "report/units_text.h"

#include <gtest/gtest.h>

namespace ebb::report {
namespace {

TEST(UnitsText, AChangeIsInPercentUntilItIsManyTimes) {
  EXPECT_EQ(ChangeText(-34.26), "34.3 % less");
  EXPECT_EQ(ChangeText(899.9), "899.9 % more");
  EXPECT_EQ(ChangeText(1130), "12.3 times as much");
  EXPECT_EQ(ChangeText(867135), "8,672 times as much");
  EXPECT_EQ(ChangeText(0.01), "the same");
}

TEST(UnitsText, AChangeAgainstSomethingIsASentence) {
  EXPECT_EQ(ChangeAgainst(-60, "a"), "60.0 % less than a");
  EXPECT_EQ(ChangeAgainst(867135, "a"), "8,672 times as much as a");
  EXPECT_EQ(ChangeAgainst(0, "a"), "as much as a");
}

TEST(UnitsText, SignedPercentsTooAreSaidInTimes) {
  EXPECT_EQ(SignedPercentText(279.94), "+279.9 %");
  EXPECT_EQ(SignedPercentText(867135), "8,672 times");
  EXPECT_EQ(TimesText(1234567), "1,234,567 times");
  EXPECT_EQ(TimesText(999), "999 times");
}

}  // namespace
}  // namespace ebb::report
