#include "base/text.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ebb {
namespace {

TEST(Text, WhatATerminalWouldActUponIsNotShown) {
  EXPECT_EQ(Printable("a\x1b[31mred\x07\n\x7f"), "a?[31mred???");
  EXPECT_EQ(Printable("über \xe2\x82\xac \xc2\xa0"), "über \xe2\x82\xac \xc2\xa0")
      << "other UTF-8 is kept";
  EXPECT_EQ(Printable("a\xc2\x9b"
                      "31m"),
            "a?31m")
      << "U+009B begins a sequence, too";
  EXPECT_EQ(Printable("\xc2"), "\xc2") << "cut short";
  EXPECT_EQ(Quoted("a\tb"), "\"a?b\"");
  EXPECT_EQ(Quoted(std::string(100, 'x')), "\"" + std::string(60, 'x') + "...\"");
}

TEST(Text, SplitKeepsEmptyFields) {
  EXPECT_EQ(Split("a,,b,", ',').size(), 4u);
  EXPECT_EQ(Split("", ',').size(), 1u);
}

TEST(Text, NumbersMustBeWholeAndFinite) {
  EXPECT_EQ(ParseNumber("212.5"), 212.5);
  EXPECT_EQ(ParseNumber("+3"), 3.0);
  for (const char* bad : {"", "1.2x", "nan", "inf", "0x10", " 1"})
    EXPECT_FALSE(ParseNumber(bad)) << bad;
  EXPECT_EQ(ParseInteger("-12"), -12);
  EXPECT_FALSE(ParseInteger("1.5"));
}

TEST(Text, ExactFormReadsBackAsTheSameDouble) {
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const double value = random.Uniform(-1e6, 1e6);
    EXPECT_EQ(ParseNumber(FormatExact(value)), value);
  }
}

TEST(Text, SignificantDigitsAvoidExponents) {
  EXPECT_EQ(FormatSignificant(0.00013667, 3), "0.000137");
  EXPECT_EQ(FormatSignificant(12.345, 3), "12.3");
  EXPECT_EQ(FormatSignificant(0, 3), "0");
}

TEST(Text, SuggestsTheNearestNameAndNothingFarAway) {
  const std::vector<std::string> keys{"carbon_threshold", "max_wait_seconds", "enabled"};
  EXPECT_EQ(Suggest("carbon_treshold", keys), "carbon_threshold");
  EXPECT_EQ(Suggest("enabeld", keys), "enabled");
  EXPECT_EQ(Suggest("colour", keys), std::nullopt);
  EXPECT_EQ(Suggest("9", std::vector<std::string>{"1", "2"}), std::nullopt);
  EXPECT_EQ(Suggest("--time", std::vector<std::string>{"--name", "--zone"}), std::nullopt);
  EXPECT_EQ(Suggest("--zoen", std::vector<std::string>{"--name", "--zones"}), std::nullopt);
  EXPECT_EQ(Suggest("--treshold", std::vector<std::string>{"--threshold"}), "--threshold");
  EXPECT_EQ(SuggestionText("max_wait_second", keys), " (did you mean \"max_wait_seconds\"?)");
}

}  // namespace
}  // namespace ebb
