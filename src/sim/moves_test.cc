// Moves between sites from the plan to the account: engine, executor and accounting count the same.

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/jobs/move.h"
#include "sim/accounting.h"
#include "sim/run_for_test.h"

namespace ebb::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Three sites with two devices each; jobs with a home and files, some pausable, in two days of
// hours without a pattern.
TestScenario Sites(std::uint64_t seed) {
  TestScenario scenario;
  Random random(seed);
  scenario.cluster = {};
  for (int site = 0; site < 3; ++site) {
    core::Site place{"site" + std::to_string(site), "Z", {1 + 0.1 * site}};
    place.set_up = minutes{site};
    place.bytes_per_second = 1e6 * (site + 1);
    scenario.cluster.sites.push_back(place);
    scenario.cluster.pools.push_back({"gpu", site, 2, 1 + 0.25 * site, 1, {20}});
    auto& hourly = scenario.hourly_by_site.emplace_back();
    for (int hour = 0; hour < 24 * 30; ++hour) hourly.push_back(random.Uniform(50, 600));
  }
  scenario.cluster.joules_per_byte = 1e-5;
  for (core::JobId id = 1; id <= 20; ++id) {
    core::Job job;
    job.id = id;
    job.submitted = kTestBegin + minutes{random.Below(600)};
    job.duration = minutes{30 + random.Below(180)};
    job.power = {400};
    job.start_by = job.submitted + hours{36};
    job.home = "site" + std::to_string(random.Below(3));
    job.file_bytes = static_cast<std::int64_t>(random.Uniform(0, 2e9));
    job.checkpoint_bytes = 100'000'000;
    job.checkpointable = random.Below(2) == 0;
    job.pause_cost = minutes{2};
    job.minimum_segment = minutes{20};
    if (random.Below(5) == 0) job.forbidden_sites = {"site2"};
    scenario.jobs.push_back(job);
  }
  return scenario;
}

JobOutcome OutcomeOf(const JobRun& run) {
  JobOutcome outcome;
  for (const SegmentRun& segment : run.segments)
    outcome.segments.push_back({segment.pool, segment.time});
  return outcome;
}

TEST(Moves, TheTimeOfEveryJobIsItsWorkItsResumesAndItsMoves) {
  int moves = 0;
  for (const char* policy : {"run-now", "edf", "planner", "lowest-window", "lowest-slots"})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(std::string(policy) + ", seed " + std::to_string(seed));
      const TestScenario scenario = Sites(seed);
      const TestRun ran = scenario.Run(policy);
      for (const core::Job& job : scenario.jobs) {
        SCOPED_TRACE("job " + std::to_string(job.id));
        const JobRun& run = ran.runs.at(job.id);
        EXPECT_LE(run.segments.front().time.begin + run.segments.front().moving, *job.start_by);
        int last_site = -1;
        double work = 0;
        for (const SegmentRun& segment : run.segments) {
          const auto& pool = scenario.cluster.pools[static_cast<std::size_t>(segment.pool)];
          const core::Move move = core::MoveTo(job, scenario.cluster, last_site, segment.pool);
          EXPECT_EQ(segment.moving, move.takes);
          moves += move.takes > Duration::zero();
          const Duration resume = last_site < 0 ? Duration::zero() : job.pause_cost;
          work += Hours(segment.time.length() - move.takes - resume) * pool.speed;
          last_site = pool.site;
        }
        EXPECT_NEAR(work, Hours(job.duration), 1e-6);
      }
    }
  EXPECT_GT(moves, 50);
}

TEST(Moves, ThePlannerGoesWhereTheMovePays) {
  for (const double kwh_per_gb : {0.06, 1.0}) {
    TestScenario scenario;
    scenario.cluster = testing::ClusterOf(2);
    scenario.cluster.sites[0].name = "home";
    scenario.cluster.sites.push_back({"away", "Z", {1}});
    scenario.cluster.pools.push_back(scenario.cluster.pools[0]);
    scenario.cluster.pools[1].site = 1;
    scenario.cluster.joules_per_byte = kwh_per_gb * 3.6e6 / 1e9;
    scenario.hourly_by_site = {std::vector<double>(24 * 30, 400.0),
                               std::vector<double>(24 * 30, 40.0)};
    core::Job job;
    job.id = 1;
    job.submitted = kTestBegin;
    job.duration = hours{2};
    job.power = {500};
    job.start_by = kTestBegin + hours{12};
    job.home = "home";
    job.file_bytes = 5'000'000'000;
    scenario.jobs = {job};
    for (const char* policy : {"planner", "run-now"}) {
      SCOPED_TRACE(policy);
      // 1 kWh saves 360 g away. 5 GB take 0.3 kWh at home's 400 g/kWh, which is 120 g; or 2,000 g.
      const JobRun run = scenario.Run(policy).runs.at(1);
      ASSERT_EQ(run.segments.size(), 1U);
      const bool goes = kwh_per_gb < 1;
      EXPECT_EQ(run.segments[0].pool, goes ? 1 : 0);
      EXPECT_EQ(run.segments[0].time.length(), hours{2} + (goes ? seconds{40} : seconds{0}));
      JobOutcome outcome = OutcomeOf(run);
      const auto series = [&](std::size_t site) {
        const Interval all{kTestBegin, kTestBegin + hours{24}};
        return *core::IntensitySeries::Create({}, {{all, {scenario.hourly_by_site[site][0]}}});
      };
      const auto home = series(0), away = series(1);
      const std::vector<TrueIntensity> truth{TrueIntensity(home), TrueIntensity(away)};
      Account(job, scenario.cluster, truth, outcome);
      EXPECT_NEAR(outcome.use.emissions.grams, goes ? 40 + 120 : 400, 1e-6);
      EXPECT_NEAR(outcome.move_use.emissions.grams, goes ? 120 : 0, 1e-6);
      EXPECT_EQ(outcome.moves, goes ? 1 : 0);
    }
  }
}

// Two sites with a device each, clean by turns of six hours.
TEST(Moves, ALongJobFollowsCleanHoursFromSiteToSite) {
  TestScenario scenario;
  scenario.cluster = testing::ClusterOf(1);
  scenario.cluster.sites[0].name = "north";
  scenario.cluster.sites.push_back({"south", "Z", {1}});
  scenario.cluster.pools.push_back(scenario.cluster.pools[0]);
  scenario.cluster.pools[1].site = 1;
  scenario.hourly_by_site.assign(2, {});
  for (std::size_t hour = 0; hour < 24 * 30; ++hour)
    for (std::size_t site = 0; site < 2; ++site)
      scenario.hourly_by_site[site].push_back((hour / 6) % 2 == site ? 20 : 500);
  core::Job job;
  job.id = 1;
  job.submitted = kTestBegin;
  job.duration = hours{24};
  job.power = {500};
  job.finish_by = kTestBegin + hours{26};
  job.checkpointable = true;
  job.checkpoint_bytes = 100'000'000;
  scenario.jobs = {job};
  scenario.policy.planner = {};
  const JobRun run = scenario.Run("planner").runs.at(1);
  ASSERT_EQ(run.segments.size(), 4U) << "it stays for the few seconds that the moves took";
  double clean_hours = 0;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const SegmentRun& segment = run.segments[i];
    EXPECT_EQ(segment.pool, static_cast<int>(i % 2)) << "it moves at each turn";
    for (int turn = 0; turn < 6; ++turn)
      if (turn % 2 == segment.pool)
        clean_hours += Hours(
            Overlap(segment.time, {kTestBegin + hours{6 * turn}, kTestBegin + hours{6 * turn + 6}})
                .length());
  }
  EXPECT_GT(clean_hours, 23.9);
}

TEST(Moves, WaitingDevicesAreNotIdleToo) {
  TestScenario scenario = Sites(5);
  const TestRun ran = scenario.Run("run-now");
  std::vector<core::IntensitySeries> series;
  for (const auto& hourly : scenario.hourly_by_site) {
    std::vector<core::Sample> samples;
    for (std::size_t hour = 0; hour < 24 * 10; ++hour) {
      const Time begin = kTestBegin + hours{hour};
      samples.push_back({{begin, begin + hours{1}}, {hourly[hour]}});
    }
    series.push_back(*core::IntensitySeries::Create({}, std::move(samples)));
  }
  std::vector<TrueIntensity> truth;
  for (const auto& one : series) truth.emplace_back(one);
  std::vector<JobOutcome> outcomes;
  Interval window{kTestBegin, kTestBegin};
  for (const core::Job& job : scenario.jobs) {
    outcomes.push_back(OutcomeOf(ran.runs.at(job.id)));
    window.end = std::max(window.end, outcomes.back().ended());
  }
  // Devices are idle, wait for a job, or run one: in all as many device-hours as there are.
  Use idle = IdleUse(scenario.cluster, truth, scenario.jobs, outcomes, window);
  double waiting = 0, running = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const core::Job& job = scenario.jobs[i];
    Account(job, scenario.cluster, truth, outcomes[i]);
    const auto energy = EnergyOfSegment(job, scenario.cluster, outcomes[i].segments, 0);
    waiting += Hours(energy.set_up.time.length());
    running += Hours(energy.run.time.length());
  }
  EXPECT_GT(waiting, 0);
  EXPECT_NEAR(idle.energy.kwh() / 0.02 + waiting + running, 6 * Hours(window.length()), 1e-3);
}

}  // namespace
}  // namespace ebb::sim
