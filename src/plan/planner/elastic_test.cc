// Plans of elastic jobs: the width of each piece.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "core/jobs/widths.h"
#include "plan/planner/planner.h"
#include "plan/planner/queues_for_test.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using namespace testing;

Schedule PlanOnce(Instance& instance, const PlannerOptions& options = {}) {
  const Problem problem = instance.Finish();
  Schedule schedule;
  schedule.jobs.resize(problem.jobs.size());
  MakePlanner(options)->Update(problem, {}, schedule);
  return schedule;
}

// A job of one to four devices of which each further one adds less.
core::Job ElasticJob(core::JobId id, Duration duration, Duration max_delay) {
  core::Job job = JobOf(id, duration, max_delay);
  job.checkpointable = true;
  job.speedup = {{2, 1.9}, {3, 2.7}, {4, 3.3}};
  job.minimum_segment = minutes{15};
  return job;
}

TEST(ElasticPlan, IsWithinOnePercentOfTheExhaustiveOptimumOnAverage) {
  double sum = 0, worst = 0;
  int compared = 0;
  for (std::uint64_t seed = 1; compared < 300; ++seed) {
    Instance instance;
    MakeRandomElastic(seed, instance);
    const auto optimum = ExhaustiveOptimum(instance);
    if (!optimum) continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Schedule schedule = PlanOnce(instance);
    ExpectSound(instance, schedule);
    EXPECT_LE(schedule.lower_bound->grams, *optimum * (1 + 1e-9));
    EXPECT_LE(schedule.lower_bound->grams, schedule.expected->grams * (1 + 1e-9));
    // The planner is not bound to whole units, so it may be better.
    const double gap = std::max(0.0, schedule.expected->grams / *optimum - 1);
    sum += gap;
    worst = std::max(worst, gap);
  }
  RecordProperty("mean gap", std::to_string(sum / compared));
  RecordProperty("worst gap", std::to_string(worst));
  EXPECT_LE(sum / compared, 0.01);
  EXPECT_LE(worst, 0.1);
}

TEST(ElasticPlan, IsNarrowWhereThePriceIsFlatAndThereIsTime) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Instance instance;
    Fill(instance, 4, std::vector<double>(96, 250));
    for (int i = 0; i < 3; ++i) {
      core::Job job = ElasticJob(i, minutes{30 + random.Below(300)}, hours{48});
      double speed = 1;
      for (core::WidthSpeed& width : job.speedup)
        width.speed = speed += random.Uniform(0.05, 0.98 * speed / (width.devices - 1));
      instance.jobs.push_back(job);
    }
    const Schedule schedule = PlanOnce(instance);
    ExpectSound(instance, schedule);
    for (const JobPlan& plan : schedule.jobs) {
      ASSERT_EQ(plan.segments.size(), 1u) << "seed " << seed;
      EXPECT_EQ(plan.segments.front().devices, 1) << "seed " << seed;
      EXPECT_EQ(plan.devices, 1);
    }
  }
}

TEST(ElasticPlan, OfOneWidthIsThePlanOfAJobThatIsNotElastic) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Instance fixed, elastic;
    for (Instance* instance : {&fixed, &elastic}) {
      FillQueue(*instance, seed, 12, RandomValues(seed, 96));
      for (core::Job& job : instance->jobs) job.checkpointable = true, job.pause_cost = minutes{2};
    }
    for (core::Job& job : elastic.jobs) job.speedup = {{job.devices, 1}};
    const Schedule before = PlanOnce(fixed), after = PlanOnce(elastic);
    for (std::size_t i = 0; i < before.jobs.size(); ++i) {
      ASSERT_EQ(before.jobs[i].segments.size(), after.jobs[i].segments.size());
      for (std::size_t s = 0; s < before.jobs[i].segments.size(); ++s)
        EXPECT_EQ(before.jobs[i].segments[s].time, after.jobs[i].segments[s].time);
    }
  }
}

TEST(ElasticPlan, IsWideInShortCleanHours) {
  Instance instance;
  Fill(instance, 4, {400, 400, 100, 400, 400, 400, 400, 400, 400, 400});
  instance.jobs = {ElasticJob(0, hours{3}, hours{6})};
  const Schedule schedule = PlanOnce(instance);
  ExpectSound(instance, schedule);
  const JobPlan& plan = schedule.jobs[0];
  // One device would need two dirty hours beside the clean one.
  EXPECT_EQ(plan.segments.front().devices, 4);
  EXPECT_EQ(BeginOf(plan), kNow + hours{2});
  EXPECT_LE(plan.segments.back().time.end, kNow + hours{3} + std::chrono::seconds{1});
}

TEST(ElasticPlan, ChangesTheWidthWithinARunIfThatPaysForItsCost) {
  Instance instance;
  Fill(instance, 4, {100, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300});
  instance.jobs = {ElasticJob(0, hours{6}, hours{1})};
  instance.jobs[0].pause_cost = minutes{1};
  const Schedule changing = PlanOnce(instance);
  ExpectSound(instance, changing);
  ASSERT_EQ(changing.jobs[0].segments.size(), 2u);
  EXPECT_EQ(changing.jobs[0].segments[0].devices, 4);
  EXPECT_EQ(changing.jobs[0].segments[1].devices, 1);
  EXPECT_EQ(changing.jobs[0].segments[0].time.end, changing.jobs[0].segments[1].time.begin);
  instance.jobs[0].pause_cost = hours{4};
  EXPECT_EQ(PlanOnce(instance).jobs[0].segments.size(), 1u);
}

TEST(ElasticPlan, IsAsWideAsTheDeadlineAsks) {
  Instance instance;
  Fill(instance, 4, std::vector<double>(24, 300));
  instance.jobs = {ElasticJob(0, hours{6}, hours{12})};
  instance.jobs[0].start_by.reset();
  instance.jobs[0].finish_by = kNow + hours{2};
  const Schedule schedule = PlanOnce(instance);
  ExpectSound(instance, schedule);
  EXPECT_GE(schedule.jobs[0].segments.front().devices, 3);
}

TEST(ElasticPlan, ARunningJobGoesOnAtItsWidthUntilAChangePays) {
  Instance instance;
  Fill(instance, 4, {300, 300, 300, 50, 300, 300, 300, 300, 300, 300});
  instance.jobs = {ElasticJob(0, hours{6}, hours{1})};
  instance.jobs[0].pause_cost = minutes{2};
  Problem problem = instance.Finish();
  instance.views[0] = {&instance.jobs[0], JobState::kRunning, hours{5}, 0, kNow - hours{1}, 0};
  instance.views[0].devices = 2;
  Schedule schedule;
  schedule.jobs.resize(1);
  const auto planner = MakePlanner({});
  planner->Update(problem, {}, schedule);
  const JobPlan& plan = schedule.jobs[0];
  ASSERT_FALSE(plan.segments.empty());
  const auto clean = std::find_if(
      plan.segments.begin(), plan.segments.end(),
      [](const Segment& segment) { return segment.time.contains(kNow + hours{3} + minutes{30}); });
  ASSERT_NE(clean, plan.segments.end());
  EXPECT_EQ(clean->devices, 4);
  // The plan is kept when it is made again.
  const double before = schedule.expected->grams;
  planner->Update(problem, {}, schedule);
  EXPECT_LE(schedule.expected->grams, before * (1 + 1e-9));
}

TEST(ElasticPlan, KeepsCapacityDeadlinesAndShortestPiecesOnRandomQueues) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Instance instance;
    FillQueue(instance, seed, 25, RandomValues(seed, 96));
    Random random(seed);
    for (core::Job& job : instance.jobs) {
      if (random.Below(2) == 0) continue;
      job.checkpointable = true;
      job.devices = 1;
      job.speedup = {{2, 1.8}, {4, 2.9}};
    }
    const Schedule schedule = PlanOnce(instance);
    ExpectSound(instance, schedule);
    EXPECT_LE(schedule.lower_bound->grams, schedule.expected->grams * (1 + 1e-9));
  }
}

// The first piece begins with the move, at any width.
TEST(ElasticPlan, OverSitesWithMovesIsSound) {
  int planned = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Instance instance;
    MakeRandomSites(seed, instance);
    // Deadlines may be impossible without more devices, and with them they are not.
    if (!ExhaustiveOptimum(instance)) continue;
    for (core::DevicePool& pool : instance.cluster.pools) pool.count += 2;
    for (core::Job& job : instance.jobs) {
      job.checkpointable = true;
      job.speedup = {{job.devices + 1, 1.6}, {job.devices + 2, 2.1}};
    }
    const Schedule schedule = PlanOnce(instance);
    ExpectSound(instance, schedule);
    EXPECT_LE(schedule.lower_bound->grams, schedule.expected->grams * (1 + 1e-9));
    ++planned;
  }
  EXPECT_GE(planned, 10);
}

// The grid of large queues and the slots of the search must not take devices twice.
TEST(ElasticPlan, OfALargeQueueIsSound) {
  Instance instance;
  FillQueue(instance, 5, 600, RandomValues(5, 96));
  instance.cluster.pools[0].count = 24;
  for (std::size_t i = 0; i < instance.jobs.size(); i += 5) {
    instance.jobs[i].checkpointable = true;
    instance.jobs[i].devices = 1;
    instance.jobs[i].duration = hours{3};
    instance.jobs[i].speedup = {{2, 1.8}, {4, 2.9}};
  }
  const Schedule schedule = PlanOnce(instance);
  ExpectSound(instance, schedule);
  EXPECT_LE(schedule.lower_bound->grams, schedule.expected->grams * (1 + 1e-9));
}

}  // namespace
}  // namespace ebb::plan
