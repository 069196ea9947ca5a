// Elastic jobs from the plan to the emissions: the engine changes their widths, and the simulated
// executor checks that devices are never given twice.

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "base/random.h"
#include "sim/run_for_test.h"

namespace ebb::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::AJob;

core::Job Elastic(core::JobId id, Duration duration, Duration within) {
  core::Job job = AJob(id)
                      .Submitted(kTestBegin)
                      .Runs(duration)
                      .Within(within)
                      .Pausable(minutes{2}, minutes{15});
  job.speedup = {{2, 1.9}, {4, 3.3}};
  return job;
}

// Clean hours that are too short for one device.
std::vector<double> ShortValleys() {
  std::vector<double> values;
  for (int hour = 0; hour < 24 * 10; ++hour) values.push_back(hour % 24 == 12 ? 60 : 400);
  return values;
}

TestScenario ScenarioOf(std::vector<core::Job> jobs, std::vector<double> hourly) {
  TestScenario scenario;
  scenario.cluster = testing::ClusterOf(4);
  scenario.jobs = std::move(jobs);
  scenario.hourly = std::move(hourly);
  scenario.engine.changes_widths = true;
  return scenario;
}

TEST(ElasticSimulation, AJobIsWideInACleanHour) {
  TestScenario scenario = ScenarioOf({Elastic(1, hours{3}, hours{20})}, ShortValleys());
  scenario.policy.planner = plan::PlannerOptions();
  const auto run = scenario.Run("planner");
  ASSERT_FALSE(run.runs.at(1).segments.empty());
  EXPECT_EQ(run.runs.at(1).segments.front().devices.size(), 4u);
  // Without widths, the job runs on its own number of devices.
  scenario.engine.changes_widths = false;
  const auto rigid = scenario.Run("planner");
  for (const SegmentRun& segment : rigid.runs.at(1).segments) EXPECT_EQ(segment.devices.size(), 1u);
}

TEST(ElasticSimulation, QueuesOfElasticJobsKeepTheLaws) {
  for (const char* const policy : {"planner", "carbon-scaler"})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Random random(seed);
      std::vector<core::Job> jobs;
      for (int i = 1; i <= 12; ++i) {
        core::Job job = Elastic(i, minutes{30 + random.Below(300)}, hours{6 + random.Below(40)});
        job.submitted = kTestBegin + minutes{random.Below(24 * 60)};
        *job.start_by += job.submitted - kTestBegin;
        if (random.Below(3) == 0) job.speedup.clear();
        jobs.push_back(job);
      }
      std::vector<double> values;
      for (int hour = 0; hour < 24 * 20; ++hour)
        values.push_back(250 + 120 * std::sin(hour * 0.2618) + random.Uniform(-60, 60));
      ScenarioOf(jobs, values).Run(policy);
      ASSERT_FALSE(HasFailure()) << policy << ", seed " << seed;
    }
}

// At a given width, an elastic job runs as a rigid job of that width with that speed.
TEST(ElasticSimulation, RunNowAtAWidthIsARigidJobOfThatWidth) {
  for (const auto& [asked, width, speed] :
       {std::tuple{1, 1, 1.0}, {2, 2, 1.9}, {3, 2, 1.9}, {4, 4, 3.3}, {9, 4, 3.3}}) {
    TestScenario scenario = ScenarioOf({Elastic(1, hours{3}, hours{20})}, ShortValleys());
    scenario.policy.run_now_devices = asked;
    const auto run = scenario.Run("run-now");
    const auto& segments = run.runs.at(1).segments;
    ASSERT_EQ(segments.size(), 1u) << asked;
    EXPECT_EQ(segments[0].devices.size(), static_cast<std::size_t>(width)) << asked;
    EXPECT_EQ(segments[0].time.begin, kTestBegin);
    EXPECT_NEAR(Seconds(segments[0].time.length()), 3 * 3600 / speed, 0.01) << asked;
  }
}

}  // namespace
}  // namespace ebb::sim
