#include "cli/top/clean_hours.h"

#include <gtest/gtest.h>

namespace ebb::cli {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kNow = *ParseTime("2026-05-01T06:00Z");

std::vector<HourValue> Hourly(const std::vector<double>& values) {
  std::vector<HourValue> all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Time begin = kNow + hours{static_cast<int>(i)};
    all.push_back({{begin, begin + hours{1}}, values[i]});
  }
  return all;
}

// Three dirty hours, eight clean ones, eight between, and dirty ones up to the next morning.
std::vector<HourValue> Day() {
  std::vector<double> values;
  const auto add = [&](int count, double value) { values.insert(values.end(), count, value); };
  add(3, 300);
  add(8, 100);
  add(8, 200);
  add(5, 300);
  return Hourly(values);
}

TEST(CleanHours, AreTheCleanestThirdOfTheNextDay) {
  const auto found = CleanHoursOf(Day(), kNow);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->now, Cleanness::kDirty);
  EXPECT_EQ(found->next, (Interval{kNow + hours{3}, kNow + hours{11}}));
  EXPECT_EQ(found->g_per_kwh, 100);
}

TEST(CleanHours, ThatHaveBegunEndLater) {
  const Time now = kNow + hours{3} + minutes{30};
  const auto found = CleanHoursOf(Day(), now);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->now, Cleanness::kClean);
  EXPECT_EQ(found->next, (Interval{now, kNow + hours{11}}));
}

TEST(CleanHours, AnHourMayBeNeither) {
  const auto found = CleanHoursOf(Hourly({200, 100, 300}), kNow);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->now, Cleanness::kBetween);
  EXPECT_EQ(found->next, (Interval{kNow + hours{1}, kNow + hours{2}}));
}

TEST(CleanHours, LaterThanADayAheadDoNotCount) {
  std::vector<double> values(24, 200);
  values[5] = 150;
  values.insert(values.end(), 10, 1.0);
  const auto found = CleanHoursOf(Hourly(values), kNow);
  ASSERT_TRUE(found);
  EXPECT_GE(found->g_per_kwh, 150);
}

TEST(CleanHours, NothingIsSaidOfHoursThatAreAlikeOrFew) {
  EXPECT_FALSE(CleanHoursOf(Hourly(std::vector<double>(24, 200)), kNow));
  EXPECT_FALSE(CleanHoursOf(Hourly({300}), kNow));
  EXPECT_FALSE(CleanHoursOf({}, kNow));
}

TEST(CleanHours, OfAnAnswerGoOnFromKnownValuesToTheForecastUpToAGap) {
  constexpr std::int64_t kHour = 3'600'000;
  const auto point = [&](int hour, int until, int value) {
    const std::int64_t begin = Milliseconds(kNow) + hour * kHour;
    return "[" + std::to_string(begin) + "," + std::to_string(begin + (until - hour) * kHour) +
           "," + std::to_string(value) + ",\"x\"]";
  };
  const auto site =
      ParseJson("{\"known\":[" + point(-2, -1, 9) + "," + point(-1, 1, 300) + "],\"forecast\":[" +
                    point(0, 2, 100) + "," + point(2, 3, 200) + "," + point(4, 5, 1) + "]}",
                "");
  ASSERT_TRUE(site);
  const auto found = HoursOfSite(*site, kNow);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].time, (Interval{kNow, kNow + hours{1}}));
  EXPECT_EQ(found[0].g_per_kwh, 300);
  EXPECT_EQ(found[1].time, (Interval{kNow + hours{1}, kNow + hours{2}}));
  EXPECT_EQ(found[2].time.end, kNow + hours{3});
  EXPECT_TRUE(HoursOfSite({}, kNow).empty());
}

}  // namespace
}  // namespace ebb::cli
