#include "base/wrapped_text.h"

#include <gtest/gtest.h>

#include "base/columns.h"
#include "base/random.h"
#include "base/text.h"

namespace ebb {
namespace {

TEST(WrappedText, BreaksAtSpacesAndGoesOnUnderTheText) {
  EXPECT_EQ(WrappedText("one two three four five six", 12), "one two\nthree four\nfive six");
  EXPECT_EQ(WrappedText("note: one two three four five six", 26),
            "note: one two three four\n      five six");
  EXPECT_EQ(WrappedText("  note      one two three four five six", 32),
            "  note      one two three four\n            five six");
  EXPECT_EQ(WrappedText("17:52  one two three four five six", 27),
            "17:52  one two three four\n       five six");
}

TEST(WrappedText, WhatFitsIsAsItWas) {
  const std::string text = "a  table   of\n\n  words  \nnote: and a note\n";
  EXPECT_EQ(WrappedText(text, 16), text);
}

TEST(WrappedText, CommandsToBeCopiedAreWhole) {
  EXPECT_EQ(WrappedText("paused. Continue with: ebb resume runs/train.py-1", 30),
            "paused. Continue with:\nebb resume runs/train.py-1");
  EXPECT_EQ(WrappedText("may be revised, `ebb report settle` asks again", 32),
            "may be revised,\n`ebb report settle` asks again");
  EXPECT_EQ(WrappedText("a ` alone holds nothing together", 20),
            "a ` alone holds\nnothing together");
}

TEST(WrappedText, AWordThatIsTooLongIsALineOfItsOwn) {
  EXPECT_EQ(WrappedText("see /a/very/long/path now", 10), "see\n/a/very/long/path\nnow");
  EXPECT_EQ(WrappedText("", 10), "");
  EXPECT_EQ(WrappedText("            ", 10), "");
}

// For any text, the words stay the same and no line of several words is too long.
TEST(WrappedText, LosesNoWordAndFitsWhereItCan) {
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    const auto below = [&](std::uint64_t limit) { return random.Next() % limit; };
    for (std::uint64_t words = 1 + below(30); words > 0; --words)
      text += std::string(1 + below(12), 'x') + std::string(1 + below(2), ' ');
    const std::size_t columns = 20 + below(60);
    const std::string wrapped = WrappedText(text, columns);
    EXPECT_EQ(std::count(wrapped.begin(), wrapped.end(), 'x'),
              std::count(text.begin(), text.end(), 'x'));
    for (const std::string_view line : Split(wrapped, '\n'))
      EXPECT_TRUE(ColumnsOf(Trim(line)) <= columns || Trim(line).find(' ') == std::string::npos)
          << line;
  }
}

}  // namespace
}  // namespace ebb
