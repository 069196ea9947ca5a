#include "signals/traces/market_times.h"

#include <gtest/gtest.h>

namespace ebb::signals {
namespace {

MarketTimes Clock(const char* heading) { return **MarketTimes::Named(heading, "m.csv"); }

Interval Span(const char* begin, const char* end) { return {*ParseTime(begin), *ParseTime(end)}; }

std::optional<Interval> Read(MarketTimes& times, const char* text) {
  return *times.Read(text, "m.csv", 2);
}

TEST(MarketTimes, AHeadingNamesTheClock) {
  MarketTimes utc = Clock("mtu_utc"), lisbon = Clock("mtu_wet_west"), time = Clock("time_cet_cest");
  EXPECT_EQ(Read(utc, "01/07/2025 00:00:00 - 01/07/2025 00:15:00"),
            Span("2025-07-01T00:00Z", "2025-07-01T00:15Z"));
  EXPECT_EQ(Read(lisbon, "01.07.2025 00:00 - 01.07.2025 01:00"),
            Span("2025-06-30T23:00Z", "2025-07-01T00:00Z"));
  EXPECT_EQ(Read(time, "01.07.2025 00:00 - 01.07.2025 01:00"),
            Span("2025-06-30T22:00Z", "2025-06-30T23:00Z"));
  EXPECT_FALSE(*MarketTimes::Named("time_of_day", "m.csv"));
  EXPECT_FALSE(*MarketTimes::Named("timestamp", "m.csv"));
  EXPECT_FALSE(MarketTimes::Named("mtu_local", "m.csv"));
}

TEST(MarketTimes, InSpringAnHourIsSkipped) {
  MarketTimes times = Clock("mtu_cet_cest");
  EXPECT_EQ(Read(times, "29.03.2020 01:45 - 29.03.2020 02:00"),
            Span("2020-03-29T00:45Z", "2020-03-29T01:00Z"));
  EXPECT_FALSE(Read(times, "29.03.2020 02:00 - 29.03.2020 02:15"));
  EXPECT_FALSE(Read(times, "29.03.2020 02:45 - 29.03.2020 03:00"));
  EXPECT_EQ(Read(times, "29.03.2020 03:00 - 29.03.2020 03:15"),
            Span("2020-03-29T01:00Z", "2020-03-29T01:15Z"));
  MarketTimes hours = Clock("mtu_cet_cest");
  EXPECT_EQ(Read(hours, "30/03/2025 01:00:00 - 30/03/2025 03:00:00"),
            Span("2025-03-30T00:00Z", "2025-03-30T01:00Z"));
}

TEST(MarketTimes, InAutumnAnHourIsThereTwice) {
  MarketTimes quarters = Clock("mtu_cet_cest");
  const char* kFirst[] = {"25.10.2020 01:45 - 25.10.2020 02:00",
                          "25.10.2020 02:00 - 25.10.2020 02:15",
                          "25.10.2020 02:45 - 25.10.2020 03:00"};
  EXPECT_EQ(Read(quarters, kFirst[0]), Span("2020-10-24T23:45Z", "2020-10-25T00:00Z"));
  EXPECT_EQ(Read(quarters, kFirst[1]), Span("2020-10-25T00:00Z", "2020-10-25T00:15Z"));
  EXPECT_EQ(Read(quarters, kFirst[2]), Span("2020-10-25T00:45Z", "2020-10-25T01:00Z"));
  EXPECT_EQ(Read(quarters, kFirst[1]), Span("2020-10-25T01:00Z", "2020-10-25T01:15Z"));
  EXPECT_EQ(Read(quarters, kFirst[2]), Span("2020-10-25T01:45Z", "2020-10-25T02:00Z"));
  EXPECT_EQ(Read(quarters, "25.10.2020 03:00 - 25.10.2020 03:15"),
            Span("2020-10-25T02:00Z", "2020-10-25T02:15Z"));
  MarketTimes hours = Clock("mtu_cet_cest");
  const char* kTwice = "25.10.2020 02:00 - 25.10.2020 03:00";
  EXPECT_EQ(Read(hours, kTwice), Span("2020-10-25T00:00Z", "2020-10-25T01:00Z"));
  EXPECT_EQ(Read(hours, kTwice), Span("2020-10-25T01:00Z", "2020-10-25T02:00Z"));
}

TEST(MarketTimes, WhereARowSaysWhichHourItIsThatHolds) {
  MarketTimes times = Clock("mtu_cet_cest");
  EXPECT_EQ(Read(times, "25/10/2020 02:00:00 (CET) - 25/10/2020 03:00:00 (CET)"),
            Span("2020-10-25T01:00Z", "2020-10-25T02:00Z"));
  MarketTimes summer = Clock("mtu_cet_cest");
  EXPECT_EQ(Read(summer, "25/10/2020 02:00:00 (CEST) - 25/10/2020 02:00:00 (CET)"),
            Span("2020-10-25T00:00Z", "2020-10-25T01:00Z"));
}

// A year of quarters, as an export writes it, is every quarter of the year in order.
TEST(MarketTimes, AYearHasEachOfItsQuartersOnce) {
  const auto clock = *prices::ZoneClock::Find("Europe/Brussels");
  MarketTimes times = Clock("mtu_cet_cest");
  const auto text = [&](Time time) {
    const std::string iso = FormatTime(Time{clock.LocalOf(time).time_since_epoch()});
    return iso.substr(8, 2) + "." + iso.substr(5, 2) + "." + iso.substr(0, 4) + " " +
           iso.substr(11, 5);
  };
  const Duration quarter = std::chrono::minutes{15};
  for (Time at = *ParseTime("2023-12-31T23:00Z"); at < *ParseTime("2024-12-31T23:00Z");
       at += quarter) {
    const std::string row = text(at) + " - " + text(at + quarter);
    const auto read = *times.Read(row, "m.csv", 2);
    // On the clock, intervals that end after the change are an hour shorter.
    ASSERT_TRUE(read) << row;
    ASSERT_EQ(read->begin, at) << row;
    ASSERT_EQ(read->end, at + quarter) << row;
  }
}

TEST(MarketTimes, WhatIsNoIntervalIsRefused) {
  MarketTimes times = Clock("mtu_utc");
  for (const char* text :
       {"01.01.2024 00:00", "1.1.2024 - 2.1.2024", " - ", "02.01.2024 00:00 - 01.01.2024 00:00",
        "41.01.2024 00:00 - 41.01.2024 01:00"})
    EXPECT_FALSE(times.Read(text, "m.csv", 2)) << text;
}

}  // namespace
}  // namespace ebb::signals
