#include "sim/accounting.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/ledger/ledger.h"

namespace ebb::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Time kStart{hours{1000}};

core::IntensitySeries Hourly(const std::vector<double>& values) {
  std::vector<core::Sample> samples;
  Time begin = kStart;
  for (const double value : values) {
    if (value >= 0) samples.push_back({{begin, begin + hours{1}}, {value}});
    begin += hours{1};
  }
  return *core::IntensitySeries::Create({"X", {}, {}, "test"}, samples);
}

core::Cluster OneSite(double pue, Power idle) {
  return {{{"site", "X", {pue}}}, {{"A5000", 0, 2, 1, 1, idle}}};
}

core::Job OneJob(Duration duration, double watts) {
  core::Job job;
  job.id = 1;
  job.duration = duration;
  job.power = {watts};
  return job;
}

TEST(Accounting, IsEnergyTimesPueTimesTheTrueIntensityOfTheStretch) {
  const auto series = Hourly({100, 300});
  const std::vector<TrueIntensity> truth{TrueIntensity(series)};
  JobOutcome outcome;
  outcome.segments = {{0, {kStart + minutes{30}, kStart + minutes{90}}}};
  Account(OneJob(hours{1}, 500), OneSite(1.2, {}), truth, outcome);
  EXPECT_EQ(outcome.use.energy, Energy::Joules(500 * 3600));
  EXPECT_DOUBLE_EQ(outcome.use.emissions.grams, 0.5 * 1.2 * 200);
  EXPECT_EQ(outcome.use.energy_without_intensity, Energy{});
}

TEST(Accounting, SpeedAndPowerFactorOfThePoolCount) {
  const auto series = Hourly({100, 100, 100});
  const std::vector<TrueIntensity> truth{TrueIntensity(series)};
  core::Cluster cluster{{{"site", "X", {}}}, {{"3090", 0, 1, 1.05, 1.8, {}}}};
  const core::Job job = OneJob(minutes{63}, 1000);
  JobOutcome outcome;
  outcome.segments = {{0, {kStart, kStart + core::TimeOn(job, cluster.pools[0], job.duration)}}};
  Account(job, cluster, truth, outcome);
  EXPECT_DOUBLE_EQ(outcome.use.emissions.grams, 180);
}

TEST(Accounting, EnergyInAGapOfTheTruthIsKeptApart) {
  const auto series = Hourly({100, -1, 100});
  const std::vector<TrueIntensity> truth{TrueIntensity(series)};
  JobOutcome outcome;
  outcome.segments = {{0, {kStart, kStart + hours{2}}}};
  Account(OneJob(hours{2}, 1000), OneSite(1, {}), truth, outcome);
  EXPECT_DOUBLE_EQ(outcome.use.energy.kwh(), 2);
  EXPECT_DOUBLE_EQ(outcome.use.energy_without_intensity.kwh(), 1);
  EXPECT_DOUBLE_EQ(outcome.use.emissions.grams, 100);
}

TEST(Accounting, EveryResumeCostsThePauseOverhead) {
  const auto series = Hourly({100, 100, 100, 100});
  const std::vector<TrueIntensity> truth{TrueIntensity(series)};
  core::Job job = OneJob(hours{1}, 1000);
  job.checkpointable = true;
  job.pause_cost = minutes{6};
  JobOutcome outcome;
  outcome.segments = {{0, {kStart, kStart + minutes{30}}},
                      {0, {kStart + hours{2}, kStart + hours{2} + minutes{36}}}};
  Account(job, OneSite(1, {}), truth, outcome);
  EXPECT_EQ(outcome.pauses, 1);
  EXPECT_EQ(outcome.pause_energy, Energy::Joules(1000 * 360));
  EXPECT_DOUBLE_EQ(outcome.use.energy.kwh(), 1.1);
}

TEST(Accounting, BusyAndIdleTimeAddUpToTheWholeWindow) {
  Random random(7);
  std::vector<double> values;
  for (int i = 0; i < 48; ++i) values.push_back(random.Uniform(50, 500));
  const auto series = Hourly(values);
  const std::vector<TrueIntensity> truth{TrueIntensity(series)};
  // Jobs draw as much as idle devices, so that the sum does not depend on which jobs run.
  const core::Cluster cluster = OneSite(1.1, {40});
  const Interval window{kStart, kStart + hours{48}};
  std::vector<core::Job> jobs;
  std::vector<JobOutcome> outcomes;
  Use all;
  for (int i = 0; i < 20; ++i) {
    jobs.push_back(OneJob(hours{1}, 40));
    JobOutcome outcome;
    const Time begin = kStart + minutes{random.Below(45 * 60)};
    outcome.segments = {{0, {begin, begin + minutes{30 + random.Below(90)}}}};
    Account(jobs.back(), cluster, truth, outcome);
    all += outcome.use;
    outcomes.push_back(std::move(outcome));
  }
  all += IdleUse(cluster, truth, jobs, outcomes, window);
  const Use whole = UseOver(Energy::Joules(2 * 40 * 48 * 3600.0), window, {1.1}, truth[0]);
  EXPECT_EQ(all.energy, whole.energy);
  EXPECT_NEAR(all.emissions.grams, whole.emissions.grams, 1e-6);
}

// The use of jobs and of free devices adds up to that of all devices, minute by minute and device
// by device.
TEST(Accounting, JobsAndFreeDevicesAreAllThereIs) {
  Random random(19);
  std::vector<double> values;
  for (int i = 0; i < 24; ++i) values.push_back(random.Uniform(50, 500));
  const auto series = Hourly(values);
  const std::vector<TrueIntensity> truth{TrueIntensity(series)};
  core::Cluster cluster = OneSite(1.2, {15});
  cluster.pools.push_back({"other", 0, 3, 1, 1, {60}});
  const Interval window{kStart, kStart + hours{24}};
  std::vector<core::Job> jobs;
  std::vector<JobOutcome> outcomes;
  Use all;
  // Number of working devices per pool and minute. Jobs are one hour long, one after the other.
  std::vector<std::vector<int>> busy(2, std::vector<int>(24 * 60, 0));
  for (int hour = 0; hour < 24; ++hour) {
    const int pool = static_cast<int>(random.Below(2));
    jobs.push_back(OneJob(hours{1}, 300));
    jobs.back().devices = 1 + static_cast<int>(random.Below(pool == 0 ? 2 : 3));
    const int begin = 60 * hour + static_cast<int>(random.Below(20));
    const int end = begin + 1 + static_cast<int>(random.Below(40));
    JobOutcome outcome;
    outcome.segments = {{pool, {kStart + minutes{begin}, kStart + minutes{end}}}};
    for (int minute = begin; minute < end; ++minute)
      busy[static_cast<std::size_t>(pool)][static_cast<std::size_t>(minute)] = jobs.back().devices;
    Account(jobs.back(), cluster, truth, outcome);
    all += outcome.use;
    outcomes.push_back(std::move(outcome));
  }
  double joules = 0, grams = 0;
  for (std::size_t pool = 0; pool < 2; ++pool) {
    for (std::size_t minute = 0; minute < busy[pool].size(); ++minute) {
      const double free = cluster.pools[pool].count - busy[pool][minute];
      const double drawn = cluster.pools[pool].idle.watts * free * 60;
      joules += drawn;
      grams += drawn / 3.6e6 * 1.2 * values[minute / 60];
    }
  }
  const Use idle = IdleUse(cluster, truth, jobs, outcomes, window);
  EXPECT_NEAR(idle.energy.joules(), joules, 1e-3);
  EXPECT_NEAR(idle.emissions.grams, grams, 1e-6);
  const Use jobs_alone = all;
  all += idle;
  EXPECT_EQ(all.energy, jobs_alone.energy + idle.energy);
}

TEST(Accounting, AgreesWithTheLedgersRows) {
  const auto series = Hourly({120, 310, 95, 222, 401});
  const std::vector<TrueIntensity> truth{TrueIntensity(series)};
  const Interval ran{kStart + minutes{17}, kStart + minutes{251}};
  JobOutcome outcome;
  outcome.segments = {{0, ran}};
  const core::Job job = OneJob(ran.length(), 381);
  Account(job, OneSite(1.3, {}), truth, outcome);
  core::EnergyReading reading{"gpu:0", core::Component::kGpu, core::EnergySource::kModel, ran,
                              outcome.use.energy};
  const auto totals = core::Total(core::MakeRows(reading, ran, 1, {1.3}, series));
  EXPECT_EQ(totals.energy, outcome.use.energy);
  EXPECT_NEAR(totals.emissions.grams, outcome.use.emissions.grams, 1e-6);
}

TEST(TrueIntensity, IsTheSeriesOwnMean) {
  Random random(3);
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(i % 7 == 3 ? -1 : random.Uniform(20, 700));
  const auto series = Hourly(values);
  const TrueIntensity truth(series);
  for (int i = 0; i < 500; ++i) {
    const Time begin = kStart - hours{2} + minutes{random.Below(104 * 60)};
    const Interval window{begin, begin + minutes{1 + random.Below(600)}};
    const auto expected = series.Mean(window), got = truth.Mean(window);
    ASSERT_EQ(expected.has_value(), got.has_value());
    if (!expected) continue;
    EXPECT_NEAR(got->intensity.g_per_kwh, expected->intensity.g_per_kwh, 1e-6);
    EXPECT_DOUBLE_EQ(got->coverage, expected->coverage);
  }
}

}  // namespace
}  // namespace ebb::sim
