#include "cli/error_text.h"

#include <gtest/gtest.h>

namespace ebb::cli {
namespace {

std::string InBerlin(const std::string& text) {
  const auto zone = prices::ZoneClock::Find("Europe/Berlin");
  const auto now = ParseTime("2026-05-04T19:30:00Z");
  if (!zone || !now) return "no zone";
  return ForPerson(text, LocalTimes(*zone, *now));
}

TEST(ErrorText, TimesAreThoseOfThePerson) {
  EXPECT_EQ(InBerlin("--start-by: \"18:00\" has passed: it was 2026-05-04T16:00:00.000Z"),
            "--start-by: \"18:00\" has passed: it was 18:00");
  EXPECT_EQ(InBerlin("it can start by 2026-05-05 04:00 at the latest"),
            "it can start by Tue 06:00 at the latest");
}

// Text that somebody typed, or is to type, stays unchanged: with another time it would mean another
// moment.
TEST(ErrorText, WhatIsTypedIsVerbatim) {
  for (const std::string text :
       {"\"2026-05-04 18:00\" is given twice", "give --grid-start 2023-05-01T00:00:00Z",
        "https://grid.test/2026-05-04T18:00Z/2026-05-04T19:00Z: request failed",
        "runs/2026-05-04T18:00Z.csv: cannot open", "--at=2023-05-01T00:00:00Z is not accepted",
        "an open \"2026-05-04 18:00"})
    EXPECT_EQ(InBerlin(text), text);
  EXPECT_EQ(InBerlin("begun with --grid-start 2023-05-01T00:00Z on 2026-05-04T19:00:00Z"),
            "begun with --grid-start 2023-05-01T00:00Z on 21:00");
}

TEST(ErrorText, ControlCharactersAreNotPrinted) {
  EXPECT_EQ(PrintableLines("a\x1b[2J\nb"), "a?[2J\nb");
}

}  // namespace
}  // namespace ebb::cli
