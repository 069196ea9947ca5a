#include "sim/plan_throttle.h"

#include <cmath>

#include "sim/run_for_test.h"

namespace ebb::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

// A signal that is dirty by day and clean by night, and jobs that come all the time.
TestScenario Busy() {
  TestScenario scenario;
  for (std::size_t i = 0; i < scenario.hourly.size(); ++i)
    scenario.hourly[i] = 300 + 200 * std::sin(static_cast<double>(i) * 3.14159 / 12);
  scenario.cluster = testing::ClusterOf(12);
  for (core::JobId id = 1; id <= 300; ++id)
    scenario.jobs.push_back(testing::AJob(id)
                                .Submitted(kTestBegin + minutes{11} * id)
                                .Runs(minutes{20 + id % 70})
                                .Wide(1 + static_cast<int>(id % 3))
                                .Within(id % 10 == 0 ? minutes{5} : hours{20}));
  scenario.policy.planner.first_plan =
      scenario.policy.planner.next_plan = {4'000, 1'000'000, 10'000, 1'000'000};
  return scenario;
}

double Grams(const TestScenario& scenario, const TestRun& run) {
  double grams = 0;
  for (const auto& [job, pool, begin, end] : run.Schedule())
    for (Time at = begin; at < end; at += minutes{1})
      grams += scenario.jobs[static_cast<std::size_t>(job) - 1].devices *
               scenario.hourly[static_cast<std::size_t>((at - kTestBegin) / hours{1} + 48)];
  return grams;
}

// Number of late jobs. Some jobs find no devices in time under any planner.
std::ptrdiff_t Late(const TestScenario& scenario, const TestRun& run) {
  return std::count_if(scenario.jobs.begin(), scenario.jobs.end(),
                       [&](const core::Job& job) { return run.StartOf(job.id) > *job.start_by; });
}

std::map<engine::Planning, int> Plannings(const TestRun& run) {
  std::map<engine::Planning, int> plannings;
  for (const engine::Decision& decision : run.decisions) ++plannings[decision.planning];
  return plannings;
}

TEST(PlanThrottle, PlansSeldomAndLosesLittle) {
  TestScenario scenario = Busy();
  const TestRun always = scenario.Run("planner");
  scenario.throttle = PlanThrottleOptions{minutes{11} * 300, 3'000, 20'000};
  const TestRun rationed = scenario.Run("planner");
  auto plannings = Plannings(rationed);
  EXPECT_GT(plannings[engine::Planning::kWhole], 20);
  EXPECT_LT(plannings[engine::Planning::kWhole], 150);
  EXPECT_GT(plannings[engine::Planning::kPlace], 100);
  EXPECT_GT(plannings[engine::Planning::kFollow], 300);
  const auto late = Late(scenario, rationed), late_always = Late(scenario, always);
  RecordProperty("late", std::to_string(late) + " of " + std::to_string(scenario.jobs.size()) +
                             ", by whole plans " + std::to_string(late_always));
  EXPECT_LE(late, late_always + std::ssize(scenario.jobs) / 40);
  const double now = Grams(scenario, scenario.Run("run-now"));
  const double best = Grams(scenario, always), with_ration = Grams(scenario, rationed);
  EXPECT_LT(best, 0.9 * now);
  EXPECT_LT(with_ration, best + 0.1 * (now - best));
  EXPECT_EQ(rationed.Schedule(), scenario.Run("planner").Schedule());
}

}  // namespace
}  // namespace ebb::sim
