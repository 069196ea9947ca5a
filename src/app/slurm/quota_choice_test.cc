#include "app/slurm/quota_choice.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ebb::app {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
const Time kMidnight = *ParseTime("2026-11-27T00:00:00Z");

// Hour h of each day has the intensity 100 + |h - 12| * 10: noon is cleanest.
core::SignalView ViewAt(Time now) {
  core::SignalView view;
  view.now = now;
  std::vector<core::Sample> known, expected;
  for (int hour = 0; hour < 48; ++hour) {
    const Time start = kMidnight + hour * kHour;
    const core::Sample sample{{start, start + kHour},
                              Intensity{100.0 + std::abs(hour % 24 - 12) * 10.0}};
    (start <= now ? known : expected).push_back(sample);
  }
  view.known = *core::IntensitySeries::Create({}, known);
  view.forecast = {now, "test", *core::IntensitySeries::Create({}, expected), {}, {}};
  return view;
}

// Hours of a day at the full quota, looked at every `step`.
double FullHours(const QuotaRule& rule, Duration step, Time begin) {
  QuotaDay day;
  for (Time now = begin; now < kMidnight + std::chrono::days{1}; now += step)
    if (ChooseQuota(ViewAt(now), rule, day).gpus == rule.full) day.at_full += step;
  return Seconds(day.at_full) / 3600;
}

TEST(QuotaChoice, BelowTheThresholdTheQuotaIsFull) {
  QuotaRule rule{8, 2, Intensity{130}, 0};
  QuotaDay day;
  EXPECT_EQ(ChooseQuota(ViewAt(kMidnight + 8 * kHour), rule, day).gpus, 2);
  EXPECT_EQ(ChooseQuota(ViewAt(kMidnight + 9 * kHour), rule, day).gpus, 8);
  EXPECT_EQ(ChooseQuota(ViewAt(kMidnight + 9 * kHour), rule, day).why,
            "130 g/kWh is not above 130");
}

TEST(QuotaChoice, UnknownIsNotDirty) {
  core::SignalView view;
  view.now = kMidnight;
  QuotaDay day;
  EXPECT_EQ(ChooseQuota(view, {8, 2, Intensity{130}, 0}, day).gpus, 8);
}

TEST(QuotaChoice, TheCleanestHoursGiveTheWantedGpuHours) {
  // 2 GPUs all day are 48 hours; 6 more GPUs for 6 hours are 36.
  const QuotaRule rule{8, 2, std::nullopt, 84};
  EXPECT_EQ(FullHours(rule, std::chrono::minutes{5}, kMidnight), 6);
  EXPECT_EQ(FullHours(rule, std::chrono::hours{1}, kMidnight), 6);
  QuotaDay day;
  EXPECT_EQ(ChooseQuota(ViewAt(kMidnight + 8 * kHour), rule, day).gpus, 2);
  EXPECT_EQ(ChooseQuota(ViewAt(kMidnight + 12 * kHour), rule, day).gpus, 8);
}

TEST(QuotaChoice, AfterALateStartTheRestOfTheDayIsFull) {
  const QuotaRule rule{8, 2, std::nullopt, 84};
  EXPECT_EQ(FullHours(rule, std::chrono::hours{1}, kMidnight + 20 * kHour), 4);
}

TEST(QuotaChoice, WithoutAForecastTheGpuHoursStillCome) {
  const QuotaRule rule{4, 0, std::nullopt, 12};
  QuotaDay day;
  for (int hour = 0; hour < 24; ++hour) {
    core::SignalView view;
    view.now = kMidnight + hour * kHour;
    if (ChooseQuota(view, rule, day).gpus == 4) day.at_full += kHour;
  }
  EXPECT_EQ(day.at_full, 3 * kHour);
}

TEST(QuotaChoice, ANewDayBeginsAnew) {
  const QuotaRule rule{8, 0, std::nullopt, 8};
  QuotaDay day{kMidnight, kHour};
  EXPECT_EQ(ChooseQuota(ViewAt(kMidnight + 12 * kHour), rule, day).gpus, 0);
  EXPECT_EQ(ChooseQuota(ViewAt(kMidnight + 36 * kHour), rule, day).gpus, 8);
  EXPECT_EQ(day.at_full, Duration::zero());
}

}  // namespace
}  // namespace ebb::app
