// Tests of placing jobs beside a standing plan, as a long queue does between whole plans.

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/planner/planner.h"
#include "plan/planner/queues_for_test.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using namespace testing;

TEST(PlannerBeside, PlacesWhatIsNewBesideThePlanSoundlyAndMovesNobodyToLater) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Instance instance;
    FillQueue(instance, seed, 25, RandomValues(seed, 96));
    const Problem problem = instance.Finish();
    const auto planner = MakePlanner({});
    Schedule schedule;
    schedule.jobs.resize(problem.jobs.size());
    Problem without_last = problem;
    without_last.jobs = problem.jobs.first(problem.jobs.size() - 3);
    schedule.jobs.resize(without_last.jobs.size());
    planner->Update(without_last, {}, schedule);
    const Schedule standing = schedule;
    schedule.jobs.resize(problem.jobs.size());
    planner->PlaceBeside(problem, {false, false, {22, 23, 24}}, schedule);
    ExpectSound(instance, schedule);
    double before = 0, after = 0;
    for (std::size_t i = 0; i < standing.jobs.size(); ++i) {
      before += standing.jobs[i].reason.expected->g_per_kwh;
      after += schedule.jobs[i].reason.expected->g_per_kwh;
      if (schedule.jobs[i].segments != standing.jobs[i].segments) {
        EXPECT_LT(BeginOf(schedule.jobs[i]), BeginOf(standing.jobs[i]));
      }
    }
    EXPECT_LE(after, before * (1 + 1e-9));
  }
}

TEST(PlannerBeside, ANewValueStartsBesideThePlanThoseThatGainMost) {
  Instance instance;
  Fill(instance, 2, {300, 300, 300, 100, 100, 100, 100, 100});
  for (int i = 0; i < 6; ++i) instance.jobs.push_back(JobOf(i, hours{1}, hours{24}));
  instance.jobs[4].power = {900};
  Problem problem = instance.Finish();
  const auto planner = MakePlanner({});
  Schedule schedule;
  schedule.jobs.resize(problem.jobs.size());
  planner->Update(problem, {}, schedule);
  for (const JobPlan& plan : schedule.jobs) EXPECT_FALSE(plan.run_now);
  instance.signals = {ViewOf({20, 300, 300, 100, 100, 100, 100, 100})};
  problem = instance.Finish();
  planner->PlaceBeside(problem, {true, false, {}}, schedule);
  ExpectSound(instance, schedule);
  EXPECT_TRUE(schedule.jobs[4].run_now);
  EXPECT_EQ(std::count_if(schedule.jobs.begin(), schedule.jobs.end(),
                          [](const JobPlan& plan) { return plan.run_now; }),
            2);
}

TEST(PlannerBeside, WhatCanWaitMakesWayForWhatWouldBeLate) {
  Instance instance;
  Fill(instance, 1, std::vector<double>(96, 250));
  instance.jobs = {JobOf(0, hours{4}, hours{20}), JobOf(1, hours{1}, hours{2})};
  const Problem problem = instance.Finish();
  Schedule schedule;
  schedule.jobs.resize(2);
  schedule.jobs[0].segments = {{0, {kNow, kNow + hours{4}}}};
  MakePlanner({})->PlaceBeside(problem, {false, false, {1}}, schedule);
  ExpectSound(instance, schedule);
  EXPECT_LE(BeginOf(schedule.jobs[1]), kNow + hours{2});
  EXPECT_GE(BeginOf(schedule.jobs[0]), BeginOf(schedule.jobs[1]) + hours{1});
}

// Nothing can change the lateness of a running job, so it is no reason to let other jobs be late.
TEST(PlannerBeside, WhatCanWaitMakesWayAlsoWhileAJobRunsThatBeganLate) {
  Instance instance;
  Fill(instance, 2, std::vector<double>(96, 250));
  instance.jobs = {JobOf(0, hours{10}, hours{-1}), JobOf(1, hours{4}, hours{20}),
                   JobOf(2, hours{1}, hours{2})};
  Problem problem = instance.Finish();
  instance.views[0].state = JobState::kRunning;
  instance.views[0].pool = 0;
  Schedule schedule;
  schedule.jobs.resize(3);
  schedule.jobs[0].segments = {{0, {kNow, kNow + hours{10}}}};
  schedule.jobs[1].segments = {{0, {kNow, kNow + hours{4}}}};
  MakePlanner({})->PlaceBeside(problem, {false, false, {2}}, schedule);
  EXPECT_LE(BeginOf(schedule.jobs[2]), kNow + hours{2});
}

// In an overfull queue some job is late whatever the planner does, so it must not search for long.
TEST(PlannerBeside, DisplacementHasALimit) {
  for (const std::int64_t most : {std::int64_t{0}, PlannerOptions{}.most_moved_beside}) {
    Instance instance;
    Fill(instance, 2, std::vector<double>(96, 250));
    instance.jobs = {JobOf(0, hours{10}, hours{-1}), JobOf(1, hours{4}, hours{20}),
                     JobOf(2, hours{1}, hours{2})};
    const Problem problem = instance.Finish();
    Schedule schedule;
    schedule.jobs.resize(3);
    schedule.jobs[0].segments = {{0, {kNow, kNow + hours{10}}}};
    schedule.jobs[1].segments = {{0, {kNow, kNow + hours{4}}}};
    PlannerOptions options;
    options.most_moved_beside = most;
    MakePlanner(options)->PlaceBeside(problem, {false, false, {2}}, schedule);
    const bool makes_way = BeginOf(schedule.jobs[1]) > kNow;
    EXPECT_EQ(makes_way, most > 0);
    EXPECT_EQ(BeginOf(schedule.jobs[2]) <= kNow + hours{2}, most > 0);
  }
}

TEST(PlannerBeside, OfManyNewJobsThoseThatMustBeginFirstHaveAPlaceAtOnce) {
  Instance instance;
  Fill(instance, 4, RandomValues(8, 96));
  for (int i = 0; i < 30; ++i) instance.jobs.push_back(JobOf(i, minutes{20}, hours{60 - i}));
  const Problem problem = instance.Finish();
  PlannerOptions options;
  options.most_placed_beside = 10;
  Schedule schedule;
  schedule.jobs.resize(problem.jobs.size());
  MakePlanner(options)->PlaceBeside(problem, {}, schedule);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(schedule.jobs[i].segments.empty(), i < 20) << i;
    EXPECT_EQ(schedule.jobs[i].job, instance.jobs[i].id);
  }
}

}  // namespace
}  // namespace ebb::plan
