#include "core/jobs/cron.h"

#include <gtest/gtest.h>

#include <random>

namespace ebb::core {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

Duration Utc(Time) { return Duration{0}; }
// Central Europe in 2026: summer time from 29 March 01:00Z to 25 October 01:00Z.
Duration Berlin(Time time) {
  const bool summer =
      time >= *ParseTime("2026-03-29T01:00Z") && time < *ParseTime("2026-10-25T01:00Z");
  return hours{summer ? 2 : 1};
}

std::string Next(const std::string& schedule, const std::string& after,
                 const CronSchedule::UtcOffset& offset = Utc) {
  const auto parsed = CronSchedule::Parse(schedule);
  EXPECT_TRUE(parsed) << schedule << ": " << parsed.error().Message();
  const auto next = parsed ? parsed->NextAfter(*ParseTime(after), offset) : std::nullopt;
  return next ? FormatTime(*next) : "never";
}

TEST(Cron, IsDueWhenTheFieldsSay) {
  const std::vector<std::array<std::string, 3>> cases{
      {"* * * * *", "2026-05-01T10:00Z", "2026-05-01T10:01:00Z"},
      {"*/15 * * * *", "2026-05-01T10:00:30Z", "2026-05-01T10:15:00Z"},
      {"0 2 * * *", "2026-05-01T02:00Z", "2026-05-02T02:00:00Z"},
      {"0 2 * * *", "2026-05-01T01:59:59Z", "2026-05-01T02:00:00Z"},
      {"30 4 1 * *", "2026-05-01T05:00Z", "2026-06-01T04:30:00Z"},
      {"0 0 29 feb *", "2026-05-01T05:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 29 2 *", "2096-03-01T00:00Z", "2104-02-29T00:00:00Z"},
      {"0 6 * * mon-fri", "2026-05-01T07:00Z", "2026-05-04T06:00:00Z"},
      {"0 6 * * 7", "2026-05-01T07:00Z", "2026-05-03T06:00:00Z"},
      {"0 6 * * SUN", "2026-05-01T07:00Z", "2026-05-03T06:00:00Z"},
      {"0 0 13 * 5", "2026-05-01T07:00Z", "2026-05-08T00:00:00Z"},
      {"0 0 13 * *", "2026-05-01T07:00Z", "2026-05-13T00:00:00Z"},
      {"5-20/5,50 3 * * *", "2026-05-01T03:20Z", "2026-05-01T03:50:00Z"},
      {"10/20 * * * *", "2026-05-01T03:31Z", "2026-05-01T03:50:00Z"},
      {"@weekly", "2026-05-01T03:31Z", "2026-05-03T00:00:00Z"},
      {"@yearly", "2026-05-01T03:31Z", "2027-01-01T00:00:00Z"},
      // A day must match both fields if one of them begins with a star.
      {"0 0 */31 11 sun", "2026-11-02T00:00Z", "2037-11-01T00:00:00Z"},
      {"0 0 29 2 */7", "2088-03-01T00:00Z", "2128-02-29T00:00:00Z"},
      {"  0   12  * * *  ", "2026-05-01T03:31Z", "2026-05-01T12:00:00Z"},
  };
  for (const auto& [schedule, after, due] : cases)
    EXPECT_EQ(Next(schedule, after), due) << schedule << " after " << after;
}

TEST(Cron, TheLocalClockJumpsAndComesBack) {
  EXPECT_EQ(Next("0 2 * * *", "2026-05-01T10:00Z", Berlin), "2026-05-02T00:00:00Z");
  // 02:30 does not exist on 29 March, so it is due right after the gap.
  EXPECT_EQ(Next("30 2 * * *", "2026-03-28T12:00Z", Berlin), "2026-03-29T01:00:00Z");
  EXPECT_EQ(Next("30 2 * * *", "2026-03-29T01:00Z", Berlin), "2026-03-30T00:30:00Z");
  // 02:30 comes twice on 25 October. It is due the first time only, unless every hour counts.
  EXPECT_EQ(Next("30 2 * * *", "2026-10-24T12:00Z", Berlin), "2026-10-25T00:30:00Z");
  EXPECT_EQ(Next("30 2 * * *", "2026-10-25T00:30Z", Berlin), "2026-10-26T01:30:00Z");
  EXPECT_EQ(Next("30 * * * *", "2026-10-25T00:30Z", Berlin), "2026-10-25T01:30:00Z");
}

TEST(Cron, WhatIsNoScheduleIsNamed) {
  for (const std::string text : {"",
                                 "* * * *",
                                 "* * * * * *",
                                 "60 * * * *",
                                 "* 24 * * *",
                                 "* * 0 * *",
                                 "* * 32 * *",
                                 "* * * 13 *",
                                 "* * * * 8",
                                 "a * * * *",
                                 "5-1 * * * *",
                                 "*/0 * * * *",
                                 ", * * * *",
                                 "1,,2 * * * *",
                                 "0 0 30 2 *",
                                 "0 0 30 2 */7",
                                 "0 0 31 4,6,9,11 *",
                                 "@never",
                                 "-1 * * * *",
                                 "1- * * * *"})
    EXPECT_FALSE(CronSchedule::Parse(text)) << text;
  EXPECT_NE(CronSchedule::Parse("* 24 * * *").error().Message().find("hour"), std::string::npos);
}

// Every schedule that is accepted is due again after any moment.
TEST(Cron, WhatIsTakenComes) {
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) {
    return std::to_string(std::uniform_int_distribution<int>(low, high)(random));
  };
  int taken = 0;
  for (int round = 0; round < 500; ++round) {
    const bool steps = round % 2 == 0;
    const std::string text = pick(0, 59) + " " + pick(0, 23) + " " +
                             (steps ? "*/" + pick(1, 31) : pick(1, 31)) + " " + pick(1, 12) + " " +
                             (steps ? pick(0, 7) : "*/" + pick(1, 7));
    const auto schedule = CronSchedule::Parse(text);
    if (!schedule) continue;
    ++taken;
    const Time after = *ParseTime("1970-01-01") + days{round * 120};
    const auto next = schedule->NextAfter(after, round % 3 == 0 ? Berlin : Utc);
    ASSERT_TRUE(next) << text << " after " << FormatTime(after);
    EXPECT_GT(*next, after);
  }
  EXPECT_GT(taken, 400);
}

// Compares with a search that looks at every minute and every field, without the shortcuts.
TEST(Cron, AgreesWithLookingAtEveryMinute) {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 60; ++round) {
    const int minute = pick(0, 59), hour = pick(0, 23), day = pick(1, 28), weekday = pick(0, 6);
    const bool any_day = pick(0, 1) == 1, any_weekday = pick(0, 1) == 1;
    const std::string text = std::to_string(minute) + " " + std::to_string(hour) + " " +
                             (any_day ? "*" : std::to_string(day)) + " * " +
                             (any_weekday ? "*" : std::to_string(weekday));
    const Time after = *ParseTime("2026-01-01") + minutes{pick(0, 500'000)};
    Time time = std::chrono::floor<minutes>(after) + minutes{1};
    for (;; time += minutes{1}) {
      const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
      std::tm parts{};
      ::gmtime_r(&seconds, &parts);
      const bool of_month = parts.tm_mday == day, of_week = parts.tm_wday == weekday;
      const bool today = any_day && any_weekday ? true
                         : any_day              ? of_week
                         : any_weekday          ? of_month
                                                : of_month || of_week;
      if (today && parts.tm_hour == hour && parts.tm_min == minute) break;
    }
    EXPECT_EQ(Next(text, FormatTime(after)), FormatTime(time)) << text << " " << FormatTime(after);
  }
}

}  // namespace
}  // namespace ebb::core
