// Tests of queues that are too long to search: the distance of their plans from the bound, and the
// jobs that make way for jobs that would be late.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "plan/planner/displacement.h"
#include "plan/planner/planner.h"
#include "plan/planner/queues_for_test.h"
#include "plan/problem/slot_prices.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using namespace testing;

// A random walk of values, clean for two days and dirty from then on.
std::vector<double> CleanAtFirst(std::uint64_t seed) {
  std::vector<double> values = RandomValues(seed, 120);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = i < 52 ? values[i] / 2 : 450 + values[i] / 4;
  return values;
}

// Jobs of 2 minutes to 8 hours, 20 minutes in the mean, that must begin within one to four days.
void FillLongQueue(Instance& instance, std::uint64_t seed, int jobs, int devices) {
  Fill(instance, devices, seed % 2 == 0 ? RandomValues(seed, 120) : CleanAtFirst(seed));
  Random random(SeedFor(seed, 1));
  for (int i = 0; i < jobs; ++i) {
    const double seconds = std::clamp(-1200 * std::log(1 - random.Uniform()), 120.0, 28'800.0);
    core::Job job = JobOf(i, DurationFromSeconds(seconds), hours{24 + random.Below(72)});
    job.devices = random.Below(20) == 0 ? 2 : 1;
    job.power = {random.Uniform(150, 400)};
    instance.jobs.push_back(job);
  }
}

// With odd seeds the clean hours come first. Nearly all jobs want them, and jobs that can wait must
// not take them from jobs that have to begin soon.
void ExpectNearBound(int jobs, int devices) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(std::to_string(jobs) + " jobs, seed " + std::to_string(seed));
    Instance instance;
    FillLongQueue(instance, seed, jobs, devices);
    const Problem problem = instance.Finish();
    Schedule schedule;
    schedule.jobs.resize(problem.jobs.size());
    MakePlanner({})->Update(problem, {}, schedule);
    ExpectSound(instance, schedule);
    const double gap = schedule.expected->grams / schedule.lower_bound->grams - 1;
    EXPECT_GE(gap, 0);
    EXPECT_LE(gap, seed % 2 == 0 ? 0.03 : 0.05);
  }
}

TEST(LongQueue, InHoursWithoutAPatternThePlanIsNearItsBound) {
  ExpectNearBound(640, 4);
  ExpectNearBound(2'500, 16);
}

TEST(LongQueue, WhereAllHoursCostTheSameTheBoundIsReached) {
  Instance instance;
  FillLongQueue(instance, 1, 2'500, 16);
  instance.signals = {ViewOf(std::vector<double>(120, 250))};
  const Problem problem = instance.Finish();
  Schedule schedule;
  schedule.jobs.resize(problem.jobs.size());
  MakePlanner({})->Update(problem, {}, schedule);
  EXPECT_NEAR(schedule.lower_bound->grams, schedule.expected->grams,
              1e-9 * schedule.expected->grams);
}

// One device and the input of a plan for it, to the millisecond.
PlanInput InputOf(const Problem& problem) {
  PlanInput input;
  input.now = problem.now;
  input.tasks = MakeTasks(problem, hours{96});
  input.curves = MakePrices(problem, problem.now + hours{96}, minutes{5}, {});
  input.site_of_pool = {0};
  input.devices_in_pool = {1};
  return input;
}

TEST(Displacement, WhatCanWaitGoesElsewhereForWhatWouldBeLate) {
  Instance instance;
  Fill(instance, 1, {100, 300, 200, 300, 300, 300});
  instance.jobs = {JobOf(0, hours{1}, hours{5}), JobOf(1, hours{1}, hours{4}),
                   JobOf(2, minutes{30}, hours{0})};
  const Problem problem = instance.Finish();
  const PlanInput input = InputOf(problem);
  Work work;
  Draft draft(input);
  for (const std::size_t task : {0u, 1u})
    draft.Place(task, EarliestWindow(draft, task, kNow, work));
  ASSERT_EQ(draft.PlacementOf(0).begin(), kNow);
  const SearchOptions options;
  ASSERT_TRUE(Displacement(draft, options, work).For(2));
  EXPECT_EQ(draft.PlacementOf(2).begin(), kNow);
  EXPECT_EQ(draft.PlacementOf(1).begin(), kNow + hours{1}) << "was not in the way";
  EXPECT_EQ(draft.PlacementOf(0).begin(), kNow + hours{2}) << "the cheapest that is left";
  EXPECT_EQ(draft.Total().late, 0);
}

TEST(Displacement, NobodyIsMadeLateForAnother) {
  Instance instance;
  Fill(instance, 1, {100, 300, 200});
  instance.jobs = {JobOf(0, hours{1}, hours{1}), JobOf(1, hours{1}, hours{1}),
                   JobOf(2, minutes{30}, hours{0})};
  const Problem problem = instance.Finish();
  const PlanInput input = InputOf(problem);
  Work work;
  Draft draft(input);
  for (const std::size_t task : {0u, 1u})
    draft.Place(task, EarliestWindow(draft, task, kNow, work));
  const SearchOptions options;
  EXPECT_FALSE(Displacement(draft, options, work).For(2));
  EXPECT_FALSE(draft.IsPlaced(2));
  EXPECT_EQ(draft.PlacementOf(0).begin(), kNow);
  EXPECT_EQ(draft.PlacementOf(1).begin(), kNow + hours{1});
}

}  // namespace
}  // namespace ebb::plan
