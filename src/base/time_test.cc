#include "base/time.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

namespace ebb {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

TEST(Time, ReadsWhatItWrites) {
  for (const char* text :
       {"2023-05-01T13:45:30Z", "1999-12-31T23:59:59.250Z", "2024-02-29T00:00:00Z"}) {
    const auto time = ParseTime(text);
    ASSERT_TRUE(time) << time.error().Message();
    EXPECT_EQ(FormatTime(*time), text);
  }
}

TEST(Time, WritesWhatTheCLibraryWrites) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> seconds(-62'135'596'800,
                                                      253'402'300'799);  // the years 0001 to 9999
  for (int i = 0; i < 20'000; ++i) {
    const std::time_t second = seconds(random);
    std::tm parts{};
    gmtime_r(&second, &parts);
    char text[40];
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d", parts.tm_year + 1900,
                  parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
    const Time time{std::chrono::seconds{second}};
    EXPECT_EQ(FormatTime(time), std::string(text) + "Z");
    EXPECT_EQ(FormatTime(time + Duration{7}), std::string(text) + ".007Z");
  }
}

TEST(Time, OffsetsAreConvertedToUtc) {
  EXPECT_EQ(FormatTime(*ParseTime("2023-05-01 13:45+02:00")), "2023-05-01T11:45:00Z");
  EXPECT_EQ(FormatTime(*ParseTime("2023-05-01T13:45-0700")), "2023-05-01T20:45:00Z");
  EXPECT_EQ(FormatTime(*ParseTime("2023-05-01")), "2023-05-01T00:00:00Z");
  EXPECT_EQ(FormatTime(*ParseTime("0423-07-24T20:08:57.0+23:41")), "0423-07-23T20:27:57Z");
}

TEST(Time, ALeapSecondIsTheFirstOfTheNextMinute) {
  EXPECT_EQ(FormatTime(*ParseTime("2016-12-31T23:59:60Z")), "2017-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime(*ParseTime("2017-01-01T05:29:60.5+05:30")), "2017-01-01T00:00:00.500Z");
}

TEST(Time, RefusesWhatIsNotATime) {
  for (const char* text : {"", "2023-13-01", "2023-02-30", "2023-05-01T25:00", "2023-05-01T10:00Zx",
                           "01.05.2023", "2023-05-01T10:00:00.", "2023-05-01T",
                           "2023-05-01T10:00+1", "2023-05-01T10:00+24:00", "2023-05-01T10:00:61Z"})
    EXPECT_FALSE(ParseTime(text)) << text;
}

TEST(Duration, AcceptsTheUsualSpellings) {
  EXPECT_EQ(*ParseDuration("90"), Duration{90'000});
  EXPECT_EQ(*ParseDuration("1h30m"), Duration{minutes{90}});
  EXPECT_EQ(*ParseDuration("1.5h"), Duration{minutes{90}});
  EXPECT_EQ(*ParseDuration("2d"), Duration{hours{48}});
  EXPECT_EQ(*ParseDuration("250ms"), Duration{250});
  for (const char* bad : {"", "h", "-3s", "3x", "1h-2m", "nan", "1e300d"})
    EXPECT_FALSE(ParseDuration(bad)) << bad;
}

TEST(Duration, ReadsTheTimeLimitsOfSlurm) {
  EXPECT_EQ(*ParseDuration("01:30:00"), Duration{minutes{90}});
  EXPECT_EQ(*ParseDuration("100:00:30"), hours{100} + std::chrono::seconds{30});
  EXPECT_EQ(*ParseDuration("1-12:00:00"), Duration{hours{36}});
  EXPECT_EQ(*ParseDuration("1-12:30"), Duration{hours{36} + minutes{30}});
  EXPECT_EQ(*ParseDuration("2-0"), Duration{hours{48}});
  for (const char* bad : {"01:30", "1:60:00", "1:00:60", "1-24:00", "1-", "-1:00:00", "1:2:3:4",
                          "1-1-1", "99999-00:00", ":::", "1:00:0x", "1h-2", "9999999:00:00"})
    EXPECT_FALSE(ParseDuration(bad)) << bad;
  EXPECT_NE(ParseDuration("01:30").error().Message().find("minutes and seconds"),
            std::string::npos);
}

TEST(Duration, PrintsTheTwoUnitsThatMatter) {
  EXPECT_EQ(FormatDuration(hours{51}), "2d 3h");
  EXPECT_EQ(FormatDuration(minutes{390}), "6h 30m");
  EXPECT_EQ(FormatDuration(Duration{12'300}), "12.3s");
  EXPECT_EQ(FormatDuration(Duration{-250}), "-250ms");
  EXPECT_EQ(FormatDuration(Duration{0}), "0s");
  EXPECT_EQ(FormatDuration(Duration{59'960}), "1m 0s");
}

TEST(IntervalTest, IsHalfOpenAndOverlapNeverNegative) {
  const Time t0 = *ParseTime("2023-01-01");
  const Interval first{t0, t0 + hours{1}};
  const Interval second{t0 + hours{1}, t0 + hours{2}};
  EXPECT_TRUE(first.contains(t0));
  EXPECT_FALSE(first.contains(first.end));
  EXPECT_EQ(Overlap(first, second).length(), Duration::zero());
  EXPECT_EQ(Overlap(first, {t0 + minutes{30}, t0 + hours{5}}).length(), Duration{minutes{30}});
}

TEST(Time, ExactDurationsReadBack) {
  for (const Duration duration : {Duration{0}, Duration{1}, Duration{90'061'007}}) {
    EXPECT_EQ(*ParseDuration(FormatExact(duration)), duration);
  }
  EXPECT_EQ(FormatExact(std::chrono::minutes{90}), "5400000ms");
  EXPECT_EQ(Milliseconds(*ParseTime("1970-01-02T00:00:00.250Z")), 86'400'250);
}

}  // namespace
}  // namespace ebb
