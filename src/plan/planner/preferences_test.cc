#include "plan/problem/preferences.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "plan/planner/planner.h"
#include "plan/planner/queues_for_test.h"

namespace ebb::plan {
namespace {

using core::GateRule;
using std::chrono::hours;
using namespace testing;

Schedule PlanOnce(Instance& instance) {
  const Problem problem = instance.Finish();
  Schedule schedule;
  schedule.jobs.resize(problem.jobs.size());
  MakePlanner({})->Update(problem, {}, schedule);
  return schedule;
}

int HourOf(const JobPlan& plan) { return static_cast<int>((BeginOf(plan) - kNow) / hours{1}); }

double CostOf(const Instance& instance, const core::Job& job, const JobPlan& plan) {
  double cost = 0;
  for (const Segment& segment : plan.segments) {
    const core::DevicePool& pool = instance.cluster.pools[static_cast<std::size_t>(segment.pool)];
    for (Time at = segment.time.begin; at < segment.time.end;) {
      const auto unit = static_cast<int>((at - instance.now) / instance.unit);
      const Time next = std::min(segment.time.end, instance.now + instance.unit * (unit + 1));
      cost += EmissionsOf(EnergyOn(job, pool, next - at), instance.cluster.SiteOf(segment.pool).pue,
                          {PreferredPriceOf(instance, job, segment.pool, unit)})
                  .grams;
      at = next;
    }
  }
  return WeightOf(instance, job) * cost;
}

void SetPreferencesAtRandom(std::uint64_t seed, Instance& instance) {
  Random random(SeedFor(seed, 1));
  for (core::Job& job : instance.jobs) {
    if (random.Below(2) == 0) job.threshold = Intensity{random.Uniform(60, 500)};
    if (random.Below(2) == 0) job.priority = static_cast<int>(random.Below(3)) * 7;
  }
}

TEST(Preferences, ThePlanIsWithinOnePercentOfTheBestThatEveryWayTriedFinds) {
  double sum = 0, worst = 0;
  int compared = 0;
  for (std::uint64_t seed = 1; compared < 150; ++seed) {
    Instance instance;
    MakeRandomInstance(seed, instance);
    SetPreferencesAtRandom(seed, instance);
    const auto optimum = ExhaustiveOptimum(instance);
    if (!optimum) continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Schedule schedule = PlanOnce(instance);
    ExpectSound(instance, schedule);
    double cost = 0;
    for (std::size_t i = 0; i < instance.jobs.size(); ++i)
      cost += CostOf(instance, instance.jobs[i], schedule.jobs[i]);
    const double gap = cost / *optimum - 1;
    EXPECT_GE(gap, -1e-4) << "ties go to the earlier start";
    sum += gap;
    worst = std::max(worst, gap);
  }
  EXPECT_LE(sum / compared, 0.01);
  EXPECT_LE(worst, 0.05);
}

TEST(Preferences, TheCleanHourIsThatOfTheHigherPriority) {
  for (const int favoured : {0, 1, 2}) {
    Instance instance;
    Fill(instance, 1, {300, 100, 220, 280});
    for (int i = 0; i < 3; ++i) instance.jobs.push_back(JobOf(i, hours{1}, hours{3}));
    instance.jobs[static_cast<std::size_t>(favoured)].priority = 1;
    const Schedule schedule = PlanOnce(instance);
    EXPECT_EQ(HourOf(schedule.jobs[static_cast<std::size_t>(favoured)]), 1);
    EXPECT_NEAR(schedule.expected->grams, 0.3 * (100 + 220 + 280), 1e-9)
        << "a priority changes who, not how much";
    EXPECT_FALSE(schedule.lower_bound.has_value()) << "of weighted grams: says nothing of grams";
  }
}

TEST(Preferences, WhereHoursCostTheSameTheHigherPriorityGoesFirst) {
  Instance instance;
  Fill(instance, 1, std::vector<double>(48, 250));
  for (int i = 0; i < 6; ++i) {
    instance.jobs.push_back(JobOf(i, hours{1}, hours{24}));
    instance.jobs.back().priority = i;
  }
  const Schedule schedule = PlanOnce(instance);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(HourOf(schedule.jobs[static_cast<std::size_t>(i)]), 5 - i);
}

TEST(Preferences, APriorityCostsNobodyADeadline) {
  Instance instance;
  Fill(instance, 1, {100, 300, 300, 300, 300});
  instance.jobs = {JobOf(0, hours{1}, hours{0}), JobOf(1, hours{1}, hours{24})};
  instance.jobs[1].priority = 1000;
  const Schedule schedule = PlanOnce(instance);
  EXPECT_TRUE(schedule.jobs[0].run_now);
  EXPECT_GE(HourOf(schedule.jobs[1]), 1);
}

// Two hours of 210 g are cleaner than 270 and 160 g together, but both are above the threshold of
// 200.
TEST(Preferences, AJobAvoidsTheHoursAboveItsThreshold) {
  for (const bool has_threshold : {false, true}) {
    Instance instance;
    Fill(instance, 1, {210, 210, 400, 270, 160, 400, 400, 400});
    instance.jobs = {JobOf(0, hours{2}, hours{5})};
    if (has_threshold) instance.jobs[0].threshold = Intensity{200};
    const Schedule schedule = PlanOnce(instance);
    EXPECT_EQ(HourOf(schedule.jobs[0]), has_threshold ? 3 : 0);
    EXPECT_NEAR(schedule.expected->grams, 0.3 * (has_threshold ? 430 : 420), 1e-9)
        << "grams, whatever steers the plan";
  }
}

TEST(Preferences, WhatIsAboveTheThresholdRunsWhereItsDeadlineLeavesNothingElse) {
  Instance instance;
  Fill(instance, 1, {310, 290, 300, 120});
  instance.jobs = {JobOf(0, hours{1}, hours{2})};
  instance.jobs[0].threshold = Intensity{200};
  const Schedule schedule = PlanOnce(instance);
  EXPECT_EQ(HourOf(schedule.jobs[0]), 1);
  EXPECT_EQ(schedule.jobs[0].reason.threshold, Intensity{200});
  EXPECT_EQ(
      core::RuleText(schedule.jobs[0].reason),
      "310 g/kWh now; its deadline and the devices leave nothing at or below its threshold of "
      "200 g/kWh");
}

TEST(Preferences, WithoutAForecastAJobWaitsForAValueAtOrBelowItsThreshold) {
  for (const auto& [value, latest, starts] :
       {std::tuple(250.0, 5, false), {200.0, 5, true}, {250.0, 0, true}}) {
    Instance instance;
    Fill(instance, 1, {value, 0});
    instance.signals[0].forecast = {};
    instance.jobs = {JobOf(0, hours{1}, hours{latest})};
    instance.jobs[0].threshold = Intensity{200};
    const Schedule schedule = PlanOnce(instance);
    EXPECT_EQ(schedule.jobs[0].run_now, starts) << value << " " << latest;
  }
}

}  // namespace
}  // namespace ebb::plan
