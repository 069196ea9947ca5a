// Laws that hold for every policy, or for every policy of a kind.

#include <gtest/gtest.h>

#include "base/random.h"
#include "engine/journal_json.h"
#include "sim/run_for_test.h"

namespace ebb::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::AJob;

std::vector<double> RandomDays(std::uint64_t seed, int days) {
  Random random(seed);
  std::vector<double> values;
  for (int hour = 0; hour < 24 * days; ++hour)
    values.push_back(250 + 120 * std::sin(hour * 0.2618) + random.Uniform(-60, 60));
  return values;
}

std::vector<core::Job> RandomJobs(std::uint64_t seed, int count, int widest) {
  Random random(SeedFor(seed, 3));
  std::vector<core::Job> jobs;
  for (int i = 0; i < count; ++i) {
    AJob job(i + 1);
    job.Submitted(kTestBegin + minutes{random.Below(24 * 60)})
        .Runs(minutes{10 + random.Below(400)})
        .Wide(1 + static_cast<int>(random.Below(static_cast<std::uint64_t>(widest))))
        .Within(hours{1 + random.Below(48)})
        .OfTier(std::to_string(1 + random.Below(3)));
    if (random.Below(2) == 0) job.Pausable(minutes{random.Below(10)}, minutes{random.Below(90)});
    jobs.push_back(job);
  }
  return jobs;
}

class EveryPolicy : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Named, EveryPolicy,
                         ::testing::ValuesIn(plan::PolicyNames().begin(),
                                             plan::PolicyNames().end()),
                         [](const auto& named) {
                           std::string name = named.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Capacity, gangs, order, explanations and wake-ups are checked at every decision by LawObserver;
// double starts, minimum segments and single ends by the simulated executor.
TEST_P(EveryPolicy, KeepsTheLawsOnRandomQueues) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    TestScenario scenario;
    scenario.cluster = testing::ClusterOf(4);
    scenario.jobs = RandomJobs(seed, 25, 4);
    scenario.hourly = RandomDays(seed, 40);
    scenario.world.seed = seed;
    scenario.world.duration_error = seed % 2 == 0 ? 0.4 : 0;
    scenario.Run(GetParam());
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST_P(EveryPolicy, AFlatSignalGivesTheScheduleOfRunNow) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    TestScenario scenario;
    scenario.cluster = testing::ClusterOf(100);
    scenario.jobs = RandomJobs(seed, 25, 4);
    scenario.hourly.assign(24 * 40, 120.0);
    scenario.policy.threshold.threshold = Intensity{120};
    scenario.policy.tiers = {{"1", Intensity{120}, hours{24}, 3},
                             {"2", Intensity{120}, hours{24}, 2},
                             {"3", Intensity{125}, hours{96}, 1}};
    EXPECT_EQ(scenario.Run(GetParam()).Schedule(), scenario.Run("run-now").Schedule())
        << "seed " << seed;
  }
}

TEST_P(EveryPolicy, AJournalReplaysByteForByte) {
  TestScenario scenario;
  scenario.jobs = RandomJobs(5, 15, 2);
  scenario.hourly = RandomDays(5, 20);
  const TestRun run = scenario.Run(GetParam());
  std::vector<runtime::JournalRecord> records;
  for (const auto& record : run.journal)
    records.push_back(*engine::FromJsonLine(engine::ToJsonLine(record)));
  engine::Engine again(scenario.engine, *plan::MakePolicy(GetParam(), scenario.policy));
  const auto replayed = engine::Replay(records, again);
  EXPECT_TRUE(replayed) << replayed.error().Message();
}

// The promise to uncontended jobs: no start later than the latest one.
TEST_P(EveryPolicy, NobodyWaitsLongerThanTheMaximumDelayWhereDevicesAreFree) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    TestScenario scenario;
    scenario.cluster = testing::ClusterOf(100);
    scenario.jobs = RandomJobs(seed, 25, 4);
    scenario.hourly = RandomDays(seed, 40);
    const TestRun run = scenario.Run(GetParam());
    for (const core::Job& job : scenario.jobs)
      EXPECT_LE(run.StartOf(job.id), *job.start_by) << "seed " << seed << ", job " << job.id;
  }
}

TEST_P(EveryPolicy, DeadlinesAreKeptAlsoWithPausesWhereDevicesAreFree) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    TestScenario scenario;
    scenario.cluster = testing::ClusterOf(100);
    scenario.jobs = RandomJobs(seed, 25, 4);
    for (core::Job& job : scenario.jobs) {
      job.finish_by = *job.start_by + job.duration;
      job.start_by.reset();
    }
    scenario.hourly = RandomDays(seed, 40);
    const TestRun run = scenario.Run(GetParam());
    for (const core::Job& job : scenario.jobs)
      EXPECT_LE(run.EndOf(job.id), *job.finish_by) << "seed " << seed << ", job " << job.id;
  }
}

class ForecastPolicy : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Named, ForecastPolicy,
                         ::testing::Values("lowest-window", "lowest-slots", "carbon-time",
                                           "planner", "dtpr"),
                         [](const auto& named) {
                           std::string name = named.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(ForecastPolicy, ScalingTheSignalChangesNoSchedule) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    TestScenario scenario;
    scenario.jobs = RandomJobs(seed, 12, 2);
    scenario.hourly = RandomDays(seed, 30);
    const auto schedule = scenario.Run(GetParam()).Schedule();
    for (double& value : scenario.hourly) value *= 4;
    EXPECT_EQ(scenario.Run(GetParam()).Schedule(), schedule) << "seed " << seed;
  }
}

// The hours in which the job runs while the signal is above its threshold.
int HoursAbove(const TestScenario& scenario, const core::Job& job, Time begin) {
  int above = 0;
  for (Time hour = begin; hour < begin + job.duration; hour += hours{1}) {
    const auto index = static_cast<std::size_t>((hour - (kTestBegin - hours{48})) / hours{1});
    above += scenario.hourly[index] > job.threshold->g_per_kwh ? 1 : 0;
  }
  return above;
}

TEST(Thresholds, WhereDevicesAreFreeThePlannerRunsAsFewHoursAboveThemAsAnyStartWould) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(SeedFor(seed, 4));
    TestScenario scenario;
    scenario.cluster = testing::ClusterOf(100);
    scenario.hourly = RandomDays(seed, 40);
    for (int id = 1; id <= 25; ++id) {
      core::Job job = AJob(id)
                          .Submitted(kTestBegin + hours{random.Below(24)})
                          .Runs(hours{1 + random.Below(6)})
                          .Within(hours{1 + random.Below(48)});
      job.threshold = Intensity{random.Uniform(150, 400)};
      scenario.jobs.push_back(job);
    }
    const TestRun run = scenario.Run("planner");
    for (const core::Job& job : scenario.jobs) {
      int fewest = HoursAbove(scenario, job, job.submitted);
      for (Time begin = job.submitted; begin <= *job.start_by; begin += hours{1})
        fewest = std::min(fewest, HoursAbove(scenario, job, begin));
      EXPECT_LE(run.StartOf(job.id), *job.start_by);
      EXPECT_EQ(HoursAbove(scenario, job, run.StartOf(job.id)), fewest)
          << "seed " << seed << ", job " << job.id;
    }
  }
}

TEST(Stampede, AThousandJobsWithOneThresholdAreReleasedAsDevicesAllow) {
  TestScenario scenario;
  scenario.cluster = testing::ClusterOf(8);
  Random random(1);
  for (int i = 1; i <= 1000; ++i)
    scenario.jobs.push_back(
        AJob(i).Submitted(kTestBegin).Runs(minutes{20 + random.Below(40)}).Within(hours{24 * 40}));
  scenario.hourly = RandomDays(3, 60);
  scenario.policy.threshold.threshold = Intensity{200};
  const TestRun threshold = scenario.Run("threshold");
  const TestRun all_at_once = scenario.Run("run-now");
  std::size_t most = 0;
  for (const engine::Decision& decision : threshold.decisions)
    most = std::max(most, decision.commands.size());
  EXPECT_LE(most, 8u);
  const auto mean = [&](const TestRun& run) {
    double sum = 0, total = 0;
    for (const auto& [id, pool, begin, end] : run.Schedule()) {
      for (Time t = begin; t < end; t += minutes{1}) {
        const auto hour = (t - (kTestBegin - hours{48})) / hours{1};
        sum += scenario.hourly[static_cast<std::size_t>(hour)];
        total += 1;
      }
    }
    return sum / total;
  };
  EXPECT_LT(mean(threshold), 0.8 * mean(all_at_once));
}

TEST(Starvation, AWideJobIsNotPassedForeverByNarrowOnes) {
  TestScenario scenario;
  scenario.cluster = testing::ClusterOf(4);
  scenario.jobs.push_back(AJob(1).Submitted(kTestBegin).Runs(hours{10}));
  scenario.jobs.push_back(
      AJob(2).Submitted(kTestBegin + minutes{1}).Runs(hours{1}).Wide(4).Within(hours{12}));
  for (int i = 3; i <= 300; ++i)
    scenario.jobs.push_back(
        AJob(i).Submitted(kTestBegin + minutes{10 * i}).Runs(minutes{45}).Within(hours{24 * 30}));
  for (const std::string policy : {"run-now", "edf"}) {
    const TestRun run = scenario.Run(policy);
    EXPECT_LE(run.StartOf(2), kTestBegin + hours{13}) << policy;
  }
}

}  // namespace
}  // namespace ebb::sim
