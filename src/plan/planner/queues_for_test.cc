#include "plan/planner/queues_for_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/random.h"
#include "core/jobs/move.h"
#include "core/jobs/widths.h"
#include "plan/hourly_for_test.h"

namespace ebb::plan::testing {

using std::chrono::hours;
using std::chrono::minutes;

core::SignalView ViewOf(const std::vector<double>& values) {
  core::SignalView view;
  view.now = kNow;
  view.known = Hourly(kNow, {values.front()});
  view.forecast.series = Hourly(kNow + hours{1}, {values.begin() + 1, values.end()});
  return view;
}

core::Job JobOf(core::JobId id, Duration duration, Duration max_delay) {
  core::Job job;
  job.id = id;
  job.submitted = kNow;
  job.duration = duration;
  job.power = {300};
  job.start_by = kNow + max_delay;
  return job;
}

void Fill(Instance& instance, int devices, const std::vector<double>& values) {
  instance.now = kNow;
  instance.unit = hours{1};
  instance.cluster.sites = {{"home", "Z", {1.0}}};
  instance.cluster.pools = {{"gpu", 0, devices, 1, 1, {}}};
  instance.signals = {ViewOf(values)};
}

std::vector<double> RandomValues(std::uint64_t seed, int hours_ahead) {
  Random random(seed);
  std::vector<double> values;
  double value = 300;
  for (int i = 0; i < hours_ahead; ++i)
    values.push_back(value = std::clamp(value + random.Uniform(-80, 80), 40.0, 600.0));
  return values;
}

void FillQueue(Instance& instance, std::uint64_t seed, int jobs,
               const std::vector<double>& values) {
  Fill(instance, 4, values);
  Random random(seed);
  for (int i = 0; i < jobs; ++i) {
    core::Job job = JobOf(i, minutes{10 + random.Below(150)}, hours{12 + random.Below(60)});
    job.devices = random.Below(8) == 0 ? 2 : 1;
    job.checkpointable = random.Below(2) == 0;
    job.pause_cost = minutes{random.Below(4)};
    job.minimum_segment = minutes{10 + random.Below(20)};
    instance.jobs.push_back(job);
  }
}

Time BeginOf(const JobPlan& plan) { return plan.segments.front().time.begin; }

bool GoesToOtherPools(const JobPlan& plan) {
  return std::ranges::any_of(plan.segments, [&](const Segment& segment) {
    return segment.pool != plan.segments.front().pool;
  });
}

const core::DevicePool& PoolOf(const Instance& instance, const JobPlan& plan) {
  return instance.cluster.pools[static_cast<std::size_t>(plan.pool)];
}

void ExpectSound(const Instance& instance, const Schedule& schedule) {
  std::map<std::pair<int, Time>, int> steps;
  for (std::size_t i = 0; i < instance.jobs.size(); ++i) {
    const core::Job& job = instance.jobs[i];
    const JobPlan& plan = schedule.jobs[i];
    ASSERT_FALSE(plan.segments.empty());
    const Duration moving = core::MoveTo(job, instance.cluster, -1, plan.pool).takes;
    int last_site = -1;
    Duration run{};
    double done = 0;
    for (const Segment& segment : plan.segments) {
      const int devices = segment.devices > 0 ? segment.devices : job.devices;
      const core::DevicePool& pool = instance.cluster.pools[static_cast<std::size_t>(segment.pool)];
      const bool first = segment == plan.segments.front();
      const Duration moves = core::MoveTo(job, instance.cluster, last_site, segment.pool).takes;
      const Duration before = moves + (first ? Duration::zero() : job.pause_cost);
      last_site = pool.site;
      run += segment.time.length() - before;
      done += Seconds(segment.time.length() - before) * SpeedOn(job, pool, devices);
      steps[{segment.pool, segment.time.begin}] += devices;
      steps[{segment.pool, segment.time.end}] -= devices;
      const Duration shortest = job.minimum_segment + moves;
      EXPECT_TRUE(plan.segments.size() == 1 || segment.time.length() >= shortest);
      EXPECT_TRUE(core::Fits(job, instance.cluster, segment.pool));
      EXPECT_GE(segment.time.begin, instance.now);
    }
    EXPECT_TRUE(plan.segments.size() == 1 || job.checkpointable);
    if (core::IsElastic(job) || GoesToOtherPools(plan))
      EXPECT_NEAR(done, Seconds(job.duration), 0.01 * static_cast<double>(plan.segments.size()));
    else
      EXPECT_EQ(run, TimeOn(job, PoolOf(instance, plan), job.duration));
    if (job.start_by) {
      EXPECT_LE(BeginOf(plan) + moving, *job.start_by);
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

}  // namespace ebb::plan::testing
