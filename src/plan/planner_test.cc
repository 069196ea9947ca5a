#include "plan/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "plan/exhaustive_for_test.h"
#include "plan/hindsight_bound.h"

namespace ebb::plan {
namespace {

using core::GateRule;
using std::chrono::hours;
using std::chrono::minutes;
using testing::Instance;

const Time kNow = *ParseTime("2023-05-01T17:00");

core::IntensitySeries Hourly(Time begin, const std::vector<double>& values) {
  std::vector<core::Sample> samples;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Time at = begin + hours{static_cast<int>(i)};
    samples.push_back({{at, at + hours{1}}, {values[i]}, core::SampleStatus::kMeasured});
  }
  return *core::IntensitySeries::Create({}, samples);
}

core::SignalView ViewOf(const std::vector<double>& values) {
  core::SignalView view;
  view.now = kNow;
  view.known = Hourly(kNow, {values.front()});
  view.forecast.series = Hourly(kNow + hours{1}, {values.begin() + 1, values.end()});
  return view;
}

core::Job JobOf(core::JobId id, Duration run_time, Duration max_delay) {
  core::Job job;
  job.id = id;
  job.submitted = kNow;
  job.run_time = run_time;
  job.power = {300};
  job.start_by = kNow + max_delay;
  return job;
}

// `devices` like ones at one site with a forecast.
void Fill(Instance& instance, int devices, const std::vector<double>& values) {
  instance.now = kNow;
  instance.unit = hours{1};
  instance.cluster.sites = {{"home", "Z", {1.0}}};
  instance.cluster.pools = {{"gpu", 0, devices, 1, 1, {}}};
  instance.signals = {ViewOf(values)};
}

Schedule PlanOnce(Instance& instance, const PlannerOptions& options = {}) {
  const Problem problem = instance.Finish();
  Schedule schedule;
  schedule.jobs.resize(problem.jobs.size());
  MakePlanner(options)->Update(problem, {}, schedule);
  return schedule;
}

Time BeginOf(const JobPlan& plan) { return plan.segments.front().time.begin; }

// Every promise of a schedule to the jobs and the devices.
void ExpectSound(const Instance& instance, const Schedule& schedule) {
  std::map<std::pair<int, Time>, int> steps;
  for (std::size_t i = 0; i < instance.jobs.size(); ++i) {
    const core::Job& job = instance.jobs[i];
    const JobPlan& plan = schedule.jobs[i];
    ASSERT_FALSE(plan.segments.empty());
    const core::DevicePool& pool = instance.cluster.pools[static_cast<std::size_t>(plan.pool)];
    Duration run{};
    for (const Segment& segment : plan.segments) {
      run += segment.time.length();
      steps[{segment.pool, segment.time.begin}] += job.devices;
      steps[{segment.pool, segment.time.end}] -= job.devices;
      EXPECT_TRUE(plan.segments.size() == 1 || segment.time.length() >= job.minimum_segment);
      EXPECT_GE(segment.time.begin, instance.now);
    }
    EXPECT_TRUE(plan.segments.size() == 1 || job.pausable);
    EXPECT_EQ(run, TimeOn(job, pool, job.run_time) +
                       job.pause_overhead * (static_cast<int>(plan.segments.size()) - 1));
    if (job.start_by) {
      EXPECT_LE(BeginOf(plan), *job.start_by);
    }
    if (job.finish_by) {
      EXPECT_LE(plan.segments.back().time.end, *job.finish_by);
    }
    EXPECT_EQ(plan.run_now, BeginOf(plan) == instance.now);
  }
  int used = 0, pool = -1;
  for (const auto& [key, change] : steps) {
    used = key.first == pool ? used + change : change;
    pool = key.first;
    EXPECT_LE(used, instance.cluster.pools[static_cast<std::size_t>(pool)].count);
  }
}

TEST(Planner, IsWithinOnePercentOfTheExhaustiveOptimumAndNeverUnsound) {
  double sum = 0, worst = 0;
  int compared = 0;
  for (std::uint64_t seed = 1; compared < 200; ++seed) {
    Instance instance;
    testing::MakeRandomInstance(seed, instance);
    const auto optimum = testing::ExhaustiveOptimum(instance);
    if (!optimum) continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Schedule schedule = PlanOnce(instance);
    ExpectSound(instance, schedule);
    const double gap = schedule.expected->grams / *optimum - 1;
    EXPECT_GE(gap, -1e-9);
    EXPECT_LE(schedule.lower_bound->grams, *optimum * (1 + 1e-9));
    sum += gap;
    worst = std::max(worst, gap);
  }
  RecordProperty("mean gap", std::to_string(sum / compared));
  RecordProperty("worst gap", std::to_string(worst));
  EXPECT_LE(sum / compared, 0.01);
  EXPECT_LE(worst, 0.05);
}

}  // namespace
}  // namespace ebb::plan
