#include "cli/local_days.h"

#include <gtest/gtest.h>

#include <ctime>

#include "app/options/when.h"

namespace ebb::cli {
namespace {

prices::ZoneClock Zone(const std::string& name) { return *prices::ZoneClock::Find(name); }

TEST(LocalDays, DaysHave23Or25HoursWhereTheClockIsSet) {
  const auto berlin = Zone("Europe/Berlin");
  const auto days = DaysOf(
      {*app::MomentOf("", "2026-10-24", berlin), *app::MomentOf("", "2026-10-27", berlin)}, berlin);
  ASSERT_EQ(days.size(), 3U);
  EXPECT_EQ(days[0].wall.length(), std::chrono::hours(24));
  EXPECT_EQ(days[1].date, "2026-10-25");
  EXPECT_EQ(days[1].wall.length(), std::chrono::hours(25));
  const auto spring = DaysOf(
      {*app::MomentOf("", "2026-03-29", berlin), *app::MomentOf("", "2026-03-30", berlin)}, berlin);
  ASSERT_EQ(spring.size(), 1U);
  EXPECT_EQ(spring[0].wall.length(), std::chrono::hours(23));
}

// Compares with the calendar of the C library, hour by hour. Among the zones are one whose clock is
// set at midnight and one that once skipped a day.
TEST(LocalDays, EachHourLiesInTheDayThatTheClockShows) {
  for (const char* name : {"Europe/Berlin", "America/Los_Angeles", "America/Havana", "Pacific/Apia",
                           "Asia/Kolkata", "UTC"}) {
    const auto zone = Zone(name);
    ::setenv("TZ", name, 1);
    ::tzset();
    for (const char* year : {"2011", "2026"}) {
      const Time begin = *ParseTime(std::string(year) + "-01-01T05:30Z");
      const Interval period{begin, begin + std::chrono::days(366)};
      const auto days = DaysOf(period, zone);
      EXPECT_EQ(days.front().wall.begin, period.begin);
      EXPECT_EQ(days.back().wall.end, period.end);
      std::size_t day = 0;
      for (Time at = period.begin; at < period.end; at += std::chrono::hours(1)) {
        while (at >= days[day].wall.end) {
          ASSERT_EQ(days[day].wall.end, days[day + 1].wall.begin);
          ++day;
        }
        const std::time_t seconds =
            std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
        std::tm local{};
        ::localtime_r(&seconds, &local);
        char text[16];
        std::strftime(text, sizeof text, "%Y-%m-%d", &local);
        ASSERT_EQ(days[day].date, text) << name << " " << FormatTime(at);
      }
    }
    ::unsetenv("TZ");
    ::tzset();
  }
}

TEST(LocalDays, AMomentIsShownToTheMinute) {
  EXPECT_EQ(LocalMinute(*ParseTime("2026-09-30T22:05:31Z"), Zone("Europe/Berlin")),
            "2026-10-01 00:05");
}

}  // namespace
}  // namespace ebb::cli
