#include "plan/bound/hindsight_bound.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "plan/hourly_for_test.h"
#include "plan/planner/planner.h"
#include "plan/planner/queues_for_test.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::Hourly;
using testing::kNow;

std::vector<double> RandomValues(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(random.Uniform(50, 500));
  return values;
}

core::Cluster LikeDevices(int count) {
  core::Cluster cluster;
  cluster.sites = {{"home", "Z", {1.0}}};
  cluster.pools = {{"gpu", 0, count, 1, 1, {}}};
  return cluster;
}

// A job of 1 kW: its grams are g/kWh times hours.
core::Job JobOf(core::JobId id, Duration duration, Duration max_delay) {
  core::Job job = testing::JobOf(id, duration, max_delay);
  job.power = {1000};
  return job;
}

HindsightBound Bound(const std::vector<core::Job>& jobs, const core::Cluster& cluster,
                     const std::vector<double>& values, const HindsightOptions& options = {}) {
  const std::vector<core::IntensitySeries> truth{Hourly(kNow, values)};
  return BestInHindsight(jobs, cluster, truth, options);
}

TEST(HindsightBound, TakesTheCleanestHoursOfTheWindow) {
  const auto bound =
      Bound({JobOf(0, hours{2}, hours{3})}, LikeDevices(1), {300, 100, 400, 50, 200, 10});
  EXPECT_TRUE(bound.exact);
  EXPECT_NEAR(bound.emissions.grams, 150, 1e-9);  // the sixth hour is outside [17:00, 22:00)
  ASSERT_EQ(bound.segments[0].size(), 2u);
  EXPECT_EQ(bound.segments[0][0].time.begin, kNow + hours{1});
  EXPECT_EQ(bound.segments[0][1].time.begin, kNow + hours{3});
}

TEST(HindsightBound, SharesTheCleanHourAmongTheDevices) {
  const std::vector<core::Job> jobs{JobOf(0, hours{1}, hours{3}), JobOf(1, hours{1}, hours{3})};
  EXPECT_NEAR(Bound(jobs, LikeDevices(1), {300, 100, 200, 400}).emissions.grams, 300, 1e-9);
  EXPECT_NEAR(Bound(jobs, LikeDevices(2), {300, 100, 200, 400}).emissions.grams, 200, 1e-9);
}

TEST(HindsightBound, IsExactWhereRunTimesDoNotDivideTheHour) {
  const std::vector<core::Job> jobs{JobOf(0, minutes{84}, hours{2}),
                                    JobOf(1, minutes{96}, hours{2})};
  // Three hours of work by 20:36 at the latest: 1 h at 100, 1 h at 150, 0.6 h at 200, 0.4 h at 300.
  const auto bound = Bound(jobs, LikeDevices(1), {300, 100, 150, 200, 500});
  EXPECT_TRUE(bound.exact);
  EXPECT_NEAR(bound.emissions.grams, 490, 1e-9);
}

TEST(HindsightBound, ALimitOfTheMakespanCutsTheWindows) {
  HindsightOptions options;
  options.makespan_limit = hours{2};
  const auto bound =
      Bound({JobOf(0, hours{1}, hours{5})}, LikeDevices(1), {300, 200, 10, 10}, options);
  EXPECT_NEAR(bound.emissions.grams, 200, 1e-9);
}

TEST(HindsightBound, SaysWhenTheWindowsCannotBeKept) {
  const std::vector<core::Job> jobs{JobOf(0, hours{2}, hours{0}), JobOf(1, hours{2}, hours{0})};
  EXPECT_FALSE(Bound(jobs, LikeDevices(1), {100, 100, 100}).feasible);
  EXPECT_TRUE(Bound(jobs, LikeDevices(2), {100, 100, 100}).feasible);
}

TEST(HindsightBound, SegmentsFillTheWorkAndFitTheDevices) {
  Random random(3);
  std::vector<core::Job> jobs;
  for (int i = 0; i < 12; ++i)
    jobs.push_back(JobOf(i, minutes{5 + random.Below(200)}, minutes{random.Below(1200)}));
  const auto values = RandomValues(3, 30);
  const auto bound = Bound(jobs, LikeDevices(3), values);
  if (!bound.feasible) GTEST_SKIP() << "the draw was impossible";
  ASSERT_EQ(bound.segments.size(), jobs.size());
  const core::IntensitySeries truth = Hourly(kNow, values);
  std::vector<std::pair<Time, int>> steps;
  double grams = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Duration run{};
    Time free_from = jobs[i].submitted;
    for (const Segment& segment : bound.segments[i]) {
      EXPECT_GE(segment.time.begin, free_from);
      free_from = segment.time.end;
      run += segment.time.length();
      grams += Hours(segment.time.length()) * truth.Mean(segment.time)->intensity.g_per_kwh;
      steps.emplace_back(segment.time.begin, 1);
      steps.emplace_back(segment.time.end, -1);
    }
    EXPECT_EQ(run, jobs[i].duration);
    EXPECT_LE(free_from, *jobs[i].start_by + jobs[i].duration);
  }
  EXPECT_NEAR(grams, bound.emissions.grams, 1e-6 * grams);
  std::sort(steps.begin(), steps.end());
  int used = 0;
  for (const auto& [at, change] : steps) EXPECT_LE(used += change, 3);
}

// Compares the flow with an exhaustive search over schedules with free pauses. All jobs consist of
// whole units, so that the search covers every schedule.
TEST(HindsightBound, IsBelowTheExhaustiveOptimumAndEqualWhereNothingIsRelaxed) {
  int equal = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::Instance instance;
    testing::MakeRandomInstance(seed, instance);
    for (core::Job& job : instance.jobs) {
      job.checkpointable = true;
      job.pause_cost = Duration::zero();
      job.minimum_segment = instance.unit;
    }
    const auto optimum = testing::ExhaustiveOptimum(instance);
    if (!optimum) continue;
    std::vector<core::IntensitySeries> truth;
    for (const core::SignalView& view : instance.signals) {
      auto samples = view.known.samples();
      for (const core::Sample& sample : view.forecast.series.samples()) samples.push_back(sample);
      truth.push_back(*core::IntensitySeries::Create({}, samples));
    }
    const auto bound = BestInHindsight(instance.jobs, instance.cluster, truth, {});
    EXPECT_TRUE(bound.feasible);
    EXPECT_LE(bound.emissions.grams, *optimum * (1 + 1e-9));
    if (!bound.exact || instance.cluster.pools.size() > 1) continue;
    EXPECT_NEAR(bound.emissions.grams, *optimum, 1e-6 * *optimum);
    ++equal;
    HindsightOptions relaxed;
    relaxed.most_arcs = 0;
    const auto lagrangian = BestInHindsight(instance.jobs, instance.cluster, truth, relaxed);
    EXPECT_FALSE(lagrangian.exact);
    EXPECT_LE(lagrangian.emissions.grams, *optimum * (1 + 1e-9));
    EXPECT_GE(lagrangian.emissions.grams, 0.5 * *optimum);
  }
  EXPECT_GT(equal, 20);
}

TEST(HindsightBound, TakesTenThousandJobs) {
  Random random(9);
  std::vector<core::Job> jobs;
  for (int i = 0; i < 10'000; ++i)
    jobs.push_back(JobOf(i, minutes{10 + random.Below(30)}, minutes{1440 + random.Below(4000)}));
  const auto bound = Bound(jobs, LikeDevices(64), RandomValues(9, 100));
  EXPECT_FALSE(bound.exact);
  EXPECT_GT(bound.emissions.grams, 0);
}

}  // namespace
}  // namespace ebb::plan
