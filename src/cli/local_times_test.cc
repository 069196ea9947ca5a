#include "cli/local_times.h"

#include <gtest/gtest.h>

namespace ebb::cli {
namespace {

Time At(const char* text) { return *ParseTime(text); }

// 17:00 on Thursday 19 November 2026 in Berlin.
LocalTimes Berlin() { return {*prices::ZoneClock::Find("Europe/Berlin"), At("2026-11-19T16:00Z")}; }

TEST(LocalTimes, SaysAsMuchOfTheDateAsIsNeeded) {
  const LocalTimes times = Berlin();
  EXPECT_EQ(times.Moment(At("2026-11-19T16:52Z")), "17:52");
  EXPECT_EQ(times.Moment(At("2026-11-18T23:00Z")), "00:00");  // of this day, there
  EXPECT_EQ(times.Moment(At("2026-11-19T23:30Z")), "Fri 00:30");
  EXPECT_EQ(times.Moment(At("2026-11-25T10:00Z")), "Wed 11:00");
  EXPECT_EQ(times.Moment(At("2026-11-26T10:00Z")), "26 Nov 11:00");  // a Thursday, too
  EXPECT_EQ(times.Moment(At("2026-11-18T10:00Z")), "18 Nov 11:00");
  EXPECT_EQ(times.Moment(At("2026-07-01T10:00Z")), "1 Jul 12:00");  // by the clock of that day
  EXPECT_EQ(times.Moment(At("2024-05-03T01:20:28.800Z")), "2024-05-03 03:20");
}

TEST(LocalTimes, SaysHowFarAwayItIs) {
  const LocalTimes times = Berlin();
  EXPECT_EQ(times.MomentAndDistance(At("2026-11-20T02:05Z")), "Fri 03:05, in 10h");
  EXPECT_EQ(times.MomentAndDistance(At("2026-11-19T13:55Z")), "14:55, 2h 5m ago");
  EXPECT_EQ(times.MomentAndDistance(At("2026-11-19T16:00:20Z")), "17:00, in 20s");
  EXPECT_EQ(times.MomentAndDistance(At("2026-11-19T16:00:00.100Z")), "17:00, now");
}

TEST(LocalTimes, SentencesOfTheServiceAreTold) {
  const LocalTimes times = Berlin();
  EXPECT_EQ(times.InText("waiting: 300 g/kWh now, 120 g/kWh expected 2026-11-20 02:00-04:00"),
            "waiting: 300 g/kWh now, 120 g/kWh expected Fri 03:00-05:00");
  EXPECT_EQ(times.InText("expected 2026-11-19 21:00-23:30"), "expected 22:00-Fri 00:30");
  EXPECT_EQ(times.InText("expected 2026-11-20 22:00-2026-11-21 01:00; must start by "
                         "2026-11-21T22:10:00.500Z."),
            "expected Fri 23:00-Sat 02:00; must start by Sat 23:10.");
  EXPECT_EQ(times.InText("of 2026-11-20, 12026-11-20 02:00, version 1.2-3"),
            "of 2026-11-20, 12026-11-20 02:00, version 1.2-3");
  EXPECT_EQ(times.InText("2026-13-40 02:00"), "2026-13-40 02:00");
  EXPECT_EQ(times.InText(""), "");
}

TEST(LocalTimes, WithoutAZoneItIsUtc) {
  const LocalTimes times(std::nullopt, At("2026-11-19T16:00Z"));
  EXPECT_EQ(times.zone(), "UTC");
  EXPECT_EQ(times.Moment(At("2026-11-19T23:30Z")), "23:30");
  EXPECT_EQ(times.Minute(At("2026-11-19T23:30:59Z")), "2026-11-19 23:30");
  EXPECT_EQ(times.Stamp(At("2026-11-19T23:30:59Z")), "Thu 23:30");
}

}  // namespace
}  // namespace ebb::cli
