#include "base/times_in_text.h"

#include <gtest/gtest.h>

namespace ebb {
namespace {

TEST(TimesInText, AreShortAndSayTheirZoneOnAnObject) {
  const std::string told =
      "waiting: 300 g/kWh now, expected 2026-11-26 06:51-07:51 UTC; must start by "
      "2026-11-27 06:51 UTC";
  EXPECT_EQ(InUtc("waiting: 300 g/kWh now, expected 2026-11-26 06:51-07:51; must start by "
                  "2026-11-27T06:51:05Z"),
            told);
  EXPECT_EQ(InUtc(told), told) << "once";
  EXPECT_EQ(InUtc("from 2026-11-20 22:00-2026-11-21 01:00, 2026-11-20T22:10:00.500Z."),
            "from 2026-11-20 22:00-2026-11-21 01:00 UTC, 2026-11-20 22:10 UTC.");
  EXPECT_EQ(InUtc("on 2026-12-01 (Europe/Berlin), version 1.2-3, 2026-13-40 02:00"),
            "on 2026-12-01 (Europe/Berlin), version 1.2-3, 2026-13-40 02:00");
}

TEST(TimesInText, ASpanHasItsSecondDateWhereItDiffers) {
  const Time begin = *ParseTime("2023-05-01T11:00:59Z");
  EXPECT_EQ(MinuteText(begin), "2023-05-01 11:00");
  EXPECT_EQ(SpanText(begin, begin + std::chrono::hours{2}), "2023-05-01 11:00-13:00");
  EXPECT_EQ(SpanText(begin, begin + std::chrono::hours{14}), "2023-05-01 11:00-2023-05-02 01:00");
}

TEST(TimesInText, DurationsThatSomebodyChoseAreRound) {
  using std::chrono::hours, std::chrono::minutes;
  EXPECT_EQ(RoundDurationText(minutes{6}), "6m");
  EXPECT_EQ(RoundDurationText(minutes{125}), "2h 5m");
  EXPECT_EQ(RoundDurationText(hours{48}), "2d");
  EXPECT_EQ(RoundDurationText(Duration{10'000}), "10s");
  EXPECT_EQ(RoundDurationText(Duration{300}), "300ms");
  EXPECT_EQ(RoundDurationText(Duration{0}), "0s");
}

}  // namespace
}  // namespace ebb
