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

TEST(PlannerOfSites, FindsTheOptimumOfSmallInstancesWithMoves) {
  double sum = 0, worst = 0;
  int compared = 0, moved = 0;
  for (std::uint64_t seed = 1; compared < 300; ++seed) {
    Instance instance;
    MakeRandomSites(seed, instance);
    const auto optimum = ExhaustiveOptimum(instance);
    if (!optimum) continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Schedule schedule = PlanOnce(instance);
    ExpectSound(instance, schedule);
    for (std::size_t i = 0; i < instance.jobs.size(); ++i)
      moved += instance.cluster.SiteOf(schedule.jobs[i].pool).name != instance.jobs[i].home;
    const double gap = schedule.expected->grams / *optimum - 1;
    EXPECT_GE(gap, -1e-9);
    EXPECT_LE(schedule.lower_bound->grams, *optimum * (1 + 1e-9));
    sum += gap;
    worst = std::max(worst, gap);
  }
  RecordProperty("mean gap", std::to_string(sum / compared));
  RecordProperty("worst gap", std::to_string(worst));
  EXPECT_GT(moved, 100) << "else the moves were not tried";
  EXPECT_LE(sum / compared, 0.0005);
  EXPECT_LE(worst, 0.01);
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
