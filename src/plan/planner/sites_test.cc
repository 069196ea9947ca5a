// Plans over sites and starts: what a move takes, where data may lie, and how well a site is known.

#include <gtest/gtest.h>

#include "core/jobs/move.h"
#include "plan/hourly_for_test.h"
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

struct Compared {
  double mean_gap = 0, worst_gap = 0;
  int moved = 0;   ///< jobs that begin at another site than their home
  int toured = 0;  ///< jobs that go on at another site
};

// Plans 300 small instances, and compares them with every way to run them.
Compared CompareWithEveryWay(void (*make)(std::uint64_t, Instance&), bool one_job = false) {
  PlannerOptions options;
  options.move_saves = 0;
  Compared result;
  for (int seed = 1, compared = 0; compared < 300; ++seed) {
    Instance instance;
    make(static_cast<std::uint64_t>(seed), instance);
    if (one_job) instance.jobs.resize(1);
    const auto optimum = ExhaustiveOptimum(instance);
    if (!optimum) continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Schedule schedule = PlanOnce(instance, options);
    ExpectSound(instance, schedule);
    for (std::size_t i = 0; i < instance.jobs.size(); ++i) {
      const JobPlan& plan = schedule.jobs[i];
      result.moved += instance.cluster.SiteOf(plan.pool).name != instance.jobs[i].home;
      result.toured += GoesToOtherPools(plan);
    }
    const double gap = schedule.expected->grams / *optimum - 1;
    EXPECT_GE(gap, -1e-9);
    EXPECT_LE(schedule.lower_bound->grams, *optimum * (1 + 1e-9));
    result.mean_gap += gap / 300;
    result.worst_gap = std::max(result.worst_gap, gap);
  }
  ::testing::Test::RecordProperty("mean gap", std::to_string(result.mean_gap));
  ::testing::Test::RecordProperty("worst gap", std::to_string(result.worst_gap));
  return result;
}

TEST(PlannerOfSites, FindsTheOptimumOfSmallInstancesWithMoves) {
  const Compared result = CompareWithEveryWay(MakeRandomSites);
  EXPECT_GT(result.moved, 100) << "else the moves were not tried";
  EXPECT_LE(result.mean_gap, 0.0005);
  EXPECT_LE(result.worst_gap, 0.01);
}

TEST(PlannerOfSites, FindsTheOptimumWhereSitesAreCleanByTurns) {
  const Compared alone = CompareWithEveryWay(MakeRandomTurns, true);
  EXPECT_GT(alone.toured, 40) << "else jobs that go from site to site were not tried";
  EXPECT_LE(alone.worst_gap, 1e-6);

  const Compared queue = CompareWithEveryWay(MakeRandomTurns);
  EXPECT_GT(queue.toured, 70);
  EXPECT_LE(queue.mean_gap, 0.005);
}

// Two sites with two devices each: "home" at 300 g/kWh, "away" at `away`, hour by hour. One job of
// two hours and 300 W with its files at home.
void FillTwoSites(Instance& instance, const std::vector<double>& home,
                  const std::vector<double>& away) {
  Fill(instance, 2, home);
  instance.cluster.sites.push_back({"away", "Z", {1.0}});
  instance.cluster.pools.push_back({"gpu", 1, 2, 1, 1, {}});
  instance.signals.push_back(ViewOf(away));
  instance.jobs = {JobOf(1, hours{2}, hours{12})};
  instance.jobs[0].home = "home";
}

std::vector<double> Flat(double value) { return std::vector<double>(48, value); }

TEST(PlannerOfSites, StaysHomeIfTheMoveCostsMoreThanTheCleanerPlaceSaves) {
  for (const double gigabytes : {1.0, 50.0}) {
    Instance instance;
    FillTwoSites(instance, Flat(300), Flat(100));
    instance.jobs[0].file_bytes = static_cast<std::int64_t>(gigabytes * 1e9);
    const Schedule schedule = PlanOnce(instance);
    // 0.6 kWh saves 120 g away. 1 GB takes 0.06 kWh at 300 g/kWh, which is 18 g; 50 GB take 900 g.
    EXPECT_EQ(schedule.jobs[0].pool, gigabytes == 1 ? 1 : 0);
    EXPECT_NEAR(schedule.expected->grams, gigabytes == 1 ? 60 + 18 : 180, 1e-6);
  }
}

TEST(PlannerOfSites, BeginsAMoveEarlyEnoughForTheDeadlineAndTheCleanHours) {
  Instance instance;
  std::vector<double> away = Flat(400);
  for (std::size_t hour = 6; hour < 8; ++hour) away[hour] = 20;
  FillTwoSites(instance, Flat(300), away);
  // 450 GB at 1 Gbit/s take an hour.
  instance.jobs[0].file_bytes = 450'000'000'000;
  instance.cluster.joules_per_byte = 0;
  const Schedule schedule = PlanOnce(instance);
  EXPECT_EQ(schedule.jobs[0].pool, 1);
  EXPECT_EQ(BeginOf(schedule.jobs[0]), kNow + hours{5}) << "so that it runs in the clean hours";
  EXPECT_NEAR(schedule.expected->grams, 0.6 * 20, 1e-6);

  instance.jobs[0].start_by = kNow + minutes{50};
  EXPECT_EQ(PlanOnce(instance).jobs[0].pool, 0) << "the move would end after the latest start";
}

TEST(PlannerOfSites, CountsWhatWaitingDevicesAndTheSetUpTake) {
  Instance instance;
  FillTwoSites(instance, Flat(300), Flat(100));
  instance.cluster.pools[1].idle = {50};
  instance.cluster.sites[1].set_up = hours{1};
  instance.cluster.sites[1].set_up_energy = Energy::Joules(0.1 * 3.6e6);
  instance.cluster.sites[1].pue = {1.2};
  const Schedule schedule = PlanOnce(instance);
  EXPECT_EQ(schedule.jobs[0].pool, 1);
  EXPECT_NEAR(schedule.expected->grams, 1.2 * (0.6 + 0.05 + 0.1) * 100, 1e-6);
}

// Clean by turns of six hours: home first, then away.
void FillTurns(Instance& instance) {
  std::vector<double> home, away;
  for (int hour = 0; hour < 96; ++hour) {
    const bool at_home = (hour / 6) % 2 == 0;
    home.push_back(at_home ? 20 : 500);
    away.push_back(at_home ? 500 : 20);
  }
  FillTwoSites(instance, home, away);
  core::Job& job = instance.jobs[0];
  job.duration = hours{24};
  job.start_by.reset();
  job.finish_by = kNow + hours{26};
  job.checkpointable = true;
  job.checkpoint_bytes = 1'000'000;
}

TEST(PlannerOfSites, AJobFollowsCleanHoursFromSiteToSite) {
  Instance instance;
  FillTurns(instance);
  instance.jobs[0].pause_cost = minutes{10};
  const Schedule schedule = PlanOnce(instance);
  ExpectSound(instance, schedule);
  ASSERT_EQ(schedule.jobs[0].segments.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(schedule.jobs[0].segments[i].pool, static_cast<int>(i % 2)) << i;
  EXPECT_EQ(schedule.jobs[0].pool, 0);
  EXPECT_TRUE(schedule.jobs[0].run_now);
  // 24 hours and four resumes at 20 g/kWh: 7.4 kWh. At one site half of it would be at 500 g/kWh.
  EXPECT_NEAR(schedule.expected->grams, 0.3 * (24 + 4.0 / 6) * 20, 2);
  EXPECT_LE(schedule.lower_bound->grams, schedule.expected->grams * (1 + 1e-9));
  EXPECT_NEAR(schedule.jobs[0].reason.expected->g_per_kwh, 20, 0.1) << "over all sites";
}

TEST(PlannerOfSites, AnElasticJobChangesSiteAndWidth) {
  Instance instance;
  FillTurns(instance);
  instance.jobs[0].speedup = {{2, 1.9}};
  instance.jobs[0].finish_by = kNow + hours{14};
  const Schedule schedule = PlanOnce(instance);
  ExpectSound(instance, schedule);
  EXPECT_TRUE(GoesToOtherPools(schedule.jobs[0]));
  EXPECT_EQ(schedule.jobs[0].segments.front().devices, 2) << "in time";
  // Some 12.6 hours on two devices of 300 W at 20 g/kWh.
  EXPECT_NEAR(schedule.expected->grams, 24 / 1.9 * 0.6 * 20, 8);

  instance.jobs[0].finish_by = kNow + hours{26};
  const Schedule narrow = PlanOnce(instance);
  EXPECT_TRUE(GoesToOtherPools(narrow.jobs[0]));
  for (const Segment& segment : narrow.jobs[0].segments)
    EXPECT_EQ(segment.devices, 1) << "one device is cleaner per unit of work";
}

TEST(PlannerOfSites, AJobStaysIfGoingToAndFroSavesTooLittle) {
  Instance instance;
  FillTurns(instance);
  // A move sends 36 kWh's worth at 20 g/kWh, which is 720 g. Six dirty hours are 900 g of 1.9 kg.
  instance.jobs[0].checkpoint_bytes = 600'000'000'000;
  EXPECT_FALSE(GoesToOtherPools(PlanOnce(instance).jobs[0]));

  Instance unpausable;
  FillTurns(unpausable);
  unpausable.jobs[0].checkpointable = false;
  EXPECT_EQ(PlanOnce(unpausable).jobs[0].segments.size(), 1u);

  Instance short_turns;
  std::vector<double> home, away;
  for (int hour = 0; hour < 96; ++hour) {
    home.push_back(hour % 2 == 0 ? 20 : 500);
    away.push_back(hour % 2 == 0 ? 500 : 20);
  }
  FillTwoSites(short_turns, home, away);
  short_turns.jobs[0].checkpointable = true;
  short_turns.jobs[0].duration = hours{4};
  const Schedule schedule = PlanOnce(short_turns);
  for (const Segment& segment : schedule.jobs[0].segments)
    EXPECT_GE(segment.time.length(), core::kStaysFor);
}

TEST(PlannerOfSites, ARunningJobKeepsItsPlanFromSiteToSite) {
  Instance instance;
  FillTurns(instance);
  Problem problem = instance.Finish();
  Schedule schedule;
  schedule.jobs.resize(1);
  const auto planner = MakePlanner({});
  planner->Update(problem, {}, schedule);
  const std::vector<Segment> first = schedule.jobs[0].segments;
  instance.views[0] = {&instance.jobs[0], JobState::kRunning, hours{20}, 0, kNow, 0};
  instance.views[0].last_site = 0;
  problem.now = kNow + hours{4};
  planner->Update(problem, {}, schedule);
  EXPECT_TRUE(schedule.jobs[0].run_now);
  EXPECT_EQ(schedule.jobs[0].pool, 0);
  ASSERT_EQ(schedule.jobs[0].segments.size(), first.size());
  for (std::size_t i = 1; i + 1 < first.size(); ++i)
    EXPECT_EQ(schedule.jobs[0].segments[i], first[i]);
}

TEST(PlannerOfSites, KeepsDataWhereItMayLie) {
  Instance instance;
  FillTwoSites(instance, Flat(300), Flat(10));
  EXPECT_EQ(PlanOnce(instance).jobs[0].pool, 1);

  instance.jobs[0].data = {"personal"};
  EXPECT_EQ(PlanOnce(instance).jobs[0].pool, 1) << "nobody says where such data may lie";
  instance.cluster.sites[1].allowed_data = {"public"};
  EXPECT_EQ(PlanOnce(instance).jobs[0].pool, 0);
  instance.cluster.sites[1].allowed_data = {"public", "personal"};
  EXPECT_EQ(PlanOnce(instance).jobs[0].pool, 1);
  instance.cluster.sites[1].forbidden_data = {"personal"};
  EXPECT_EQ(PlanOnce(instance).jobs[0].pool, 0);

  instance.jobs[0].data.clear();
  EXPECT_EQ(PlanOnce(instance).jobs[0].pool, 1);
  instance.jobs[0].forbidden_sites = {"away"};
  EXPECT_EQ(PlanOnce(instance).jobs[0].pool, 0);
}

TEST(PlannerOfSites, ASiteWhoseForecastIsLessCertainCountsItsBand) {
  Instance instance;
  FillTwoSites(instance, Flat(210), Flat(200));
  const auto set_band = [](core::SignalView& signal, double around) {
    core::Forecast& forecast = signal.forecast;
    std::vector<core::Sample> low, high;
    for (const core::Sample& sample : forecast.series.samples()) {
      low.push_back(sample);
      high.push_back(sample);
      low.back().intensity.g_per_kwh -= around;
      high.back().intensity.g_per_kwh += around;
    }
    forecast.p10 = *core::IntensitySeries::Create({}, std::move(low));
    forecast.p90 = *core::IntensitySeries::Create({}, std::move(high));
  };
  set_band(instance.signals[0], 5);
  set_band(instance.signals[1], 80);
  instance.jobs[0].submitted = kNow;
  PlannerOptions options;
  EXPECT_EQ(PlanOnce(instance, options).jobs[0].pool, 1) << "lower in the middle of its band";
  options.prices.risk = 0.8;
  EXPECT_EQ(PlanOnce(instance, options).jobs[0].pool, 0) << "surer, so lower at this quantile";
}

TEST(PlannerOfSites, AJobAtASiteThatCannotBeReachedGoesOnAndNoOtherJobWaitsForIt) {
  Instance instance;
  FillTwoSites(instance, Flat(300), Flat(30));
  instance.cluster.pools[1].count = 0;
  instance.cluster.pools[1].away = 2;
  instance.jobs.push_back(JobOf(2, hours{2}, hours{12}));
  instance.jobs[0].checkpointable = true;
  const Problem problem = instance.Finish();
  instance.views[0] = {&instance.jobs[0], JobState::kRunning, hours{1}, 1, kNow - hours{1}, 0};
  Schedule schedule;
  schedule.jobs.resize(2);
  MakePlanner({})->Update(problem, {}, schedule);
  EXPECT_TRUE(schedule.jobs[0].run_now) << "nobody can pause it";
  EXPECT_EQ(schedule.jobs[0].pool, 1);
  EXPECT_TRUE(schedule.jobs[1].run_now);
  EXPECT_EQ(schedule.jobs[1].pool, 0);
}

TEST(PlannerOfSites, SharesACleanSiteAmongMoreJobsThanItHolds) {
  Instance instance;
  FillTwoSites(instance, Flat(300), Flat(30));
  const core::Job job = instance.jobs[0];
  instance.jobs.clear();
  for (core::JobId id = 1; id <= 6; ++id) {
    instance.jobs.push_back(job);
    instance.jobs.back().id = id;
    instance.jobs.back().start_by = kNow + hours{3};
    instance.jobs.back().file_bytes = id * 1'000'000'000;
  }
  const Schedule schedule = PlanOnce(instance);
  ExpectSound(instance, schedule);
  // Two devices away hold four jobs, one pair after the other. Those with the smallest files go.
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(schedule.jobs[i].pool, i < 4 ? 1 : 0) << i;
}

}  // namespace
}  // namespace ebb::plan
