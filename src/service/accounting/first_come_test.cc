#include "service/accounting/first_come.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/ledger/counterfactual.h"
#include "core/run/accounting.h"
#include "core/run/uncertainty.h"

namespace ebb::service {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

Time At(double hour) { return Time{DurationFromSeconds(hour * 3600)}; }

core::Cluster ClusterOf(std::vector<int> counts) {
  core::Cluster cluster;
  cluster.sites = {{"here", "DE", Pue{1.5}}};
  for (const int count : counts) cluster.pools.push_back({"cpu", 0, count, 1, 1, Power{0}});
  return cluster;
}

core::IntensitySeries Hourly(const std::vector<double>& values) {
  std::vector<core::Sample> samples;
  for (std::size_t i = 0; i < values.size(); ++i)
    samples.push_back({{At(static_cast<double>(i)), At(static_cast<double>(i) + 1)}, {values[i]}});
  return *core::IntensitySeries::Create({"DE", {}, {}, "test"}, std::move(samples));
}

core::LedgerRow Row(int attempt, double begin_h, double end_h, double kwh) {
  core::LedgerRow row;
  row.attempt = attempt;
  row.device = "cpu:package-0";
  row.grid = row.wall = {At(begin_h), At(end_h)};
  row.energy = Energy::Joules(kwh * 3.6e6);
  row.pue = Pue{1.5};
  row.intensity = Intensity{1};
  return row;
}

// One device. Job 1 came at 0 and ran two hours, waiting for the clean hours from 4 on; job 2 came
// at 0.5 and ran one hour, from 6 on.
TEST(FirstCome, AgainstAHandComputation) {
  const std::vector<ComingJob> jobs{{1, At(0), 0, 1, hours{2}, {}},
                                    {2, At(0.5), 0, 1, hours{1}, {}}};
  const auto starts = FirstComeStarts(jobs, ClusterOf({1}));
  EXPECT_EQ(starts[0], At(0));
  EXPECT_EQ(starts[1], At(2));
  const core::IntensitySeries signal = Hourly({400, 300, 200, 100, 50, 50, 80, 500});
  // 1 kWh in its first hour, 3 kWh in its second one, with a pause of half an hour in between.
  const EnergyProfile first({Row(1, 4, 5, 1), Row(2, 5.5, 6.5, 3)});
  EXPECT_EQ(first.length(), hours{2});
  EXPECT_NEAR(first.At(*starts[0], signal)->grams, 1.5 * (1 * 400 + 3 * 300), 1e-6);
  const EnergyProfile second({Row(1, 6, 7, 2)});
  EXPECT_NEAR(second.At(*starts[1], signal)->grams, 1.5 * 2 * 200, 1e-6);
  EXPECT_NEAR(second.At(At(1.25), signal)->grams, 1.5 * 2 * (0.75 * 300 + 0.25 * 200), 1e-6);
  EXPECT_FALSE(second.At(At(7.5), signal));
}

TEST(FirstCome, WhoComesAfterOthersWaitsForThem) {
  const std::vector<ComingJob> jobs{{1, At(0), 0, 1, hours{2}, {}},
                                    {2, At(0), 0, 1, hours{1}, {1}},
                                    {3, At(1), 0, 9, hours{1}, {}},
                                    {4, At(1), 0, 1, hours{1}, {3}},
                                    {5, At(1), 0, 1, hours{1}, {77}}};
  const auto starts = FirstComeStarts(jobs, ClusterOf({3}));
  EXPECT_EQ(starts[0], At(0));
  EXPECT_EQ(starts[1], At(2));
  EXPECT_FALSE(starts[2]);  // wider than its pool
  EXPECT_FALSE(starts[3]);
  EXPECT_EQ(starts[4], At(1));
}

// The same schedule by brute force: minute by minute, with an array for each pool.
std::vector<std::optional<Time>> BruteForce(const std::vector<ComingJob>& jobs,
                                            const core::Cluster& cluster) {
  constexpr int kMinutes = 4000;
  std::vector<std::vector<int>> free;
  for (const auto& pool : cluster.pools) free.emplace_back(kMinutes, pool.count);
  std::map<core::JobId, int> ends;
  std::vector<std::optional<Time>> starts;
  for (const ComingJob& job : jobs) {
    auto& mine = free[static_cast<std::size_t>(job.pool)];
    int begin = static_cast<int>(job.submitted.time_since_epoch() / minutes{1});
    const int length = static_cast<int>(job.length / minutes{1});
    for (const core::JobId before : job.after) begin = std::max(begin, ends.at(before));
    const auto fits = [&] {
      for (int t = begin; t < begin + length; ++t)
        if (mine[static_cast<std::size_t>(t)] < job.devices) return false;
      return true;
    };
    while (!fits()) ++begin;
    for (int t = begin; t < begin + length; ++t) mine[static_cast<std::size_t>(t)] -= job.devices;
    ends[job.id] = begin + length;
    starts.emplace_back(Time{minutes{begin}});
  }
  return starts;
}

std::vector<ComingJob> RandomJobs(const std::function<int(int, int)>& pick,
                                  const core::Cluster& cluster) {
  std::vector<ComingJob> jobs;
  for (int i = 0, at = 0; i < 25; ++i) {
    at += pick(0, 20);
    const int pool = pick(0, 1);
    ComingJob job{i + 1, Time{minutes{at}}, pool, 1, minutes{pick(1, 90)}, {}};
    job.devices = pick(1, cluster.pools[static_cast<std::size_t>(pool)].count);
    if (i > 0 && pick(0, 4) == 0) job.after.push_back(pick(1, i));
    jobs.push_back(job);
  }
  return jobs;
}

TEST(FirstCome, AgainstBruteForce) {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    const core::Cluster cluster = ClusterOf({pick(1, 4), pick(1, 4)});
    const std::vector<ComingJob> jobs = RandomJobs(pick, cluster);
    EXPECT_EQ(FirstComeStarts(jobs, cluster), BruteForce(jobs, cluster)) << round;
  }
}

// The first jobs are known by their places only. The others start as if all jobs were known.
TEST(FirstCome, WhoIsForgottenKeepsItsPlace) {
  std::mt19937 random(9);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 100; ++round) {
    const core::Cluster cluster = ClusterOf({pick(1, 4), pick(1, 4)});
    const std::vector<ComingJob> jobs = RandomJobs(pick, cluster);
    const auto all = BruteForce(jobs, cluster);
    const auto forgotten = static_cast<std::size_t>(pick(0, 24));
    std::vector<TakenPlace> taken;
    for (std::size_t i = 0; i < forgotten; ++i)
      taken.push_back(
          {jobs[i].id, jobs[i].pool, jobs[i].devices, {*all[i], *all[i] + jobs[i].length}});
    const auto rest = FirstComeStarts(std::span(jobs).subspan(forgotten), cluster, taken);
    for (std::size_t i = 0; i < rest.size(); ++i)
      EXPECT_EQ(rest[i], all[forgotten + i]) << round << " job " << jobs[forgotten + i].id;
  }
}

// The profile of a long ledger gives the same sums as the ledger, up to the length of its pieces.
TEST(FirstCome, AProfileEmitsWhatItsLedgerWould) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> kwh(0, 0.01);
  std::vector<core::LedgerRow> rows;
  for (int i = 0; i < 3000; ++i)
    rows.push_back(Row(1 + i / 1000, i / 600.0, (i + 1) / 600.0, kwh(random)));
  const core::IntensitySeries signal = Hourly({100, 400, 100, 250, 50, 300, 10});
  const EnergyProfile profile(rows);
  EXPECT_FALSE(profile.has_unknown());
  for (const double start : {0.0, 0.3, 0.77, 1.5}) {
    const core::Counterfactual exact = core::RunAt(rows, At(start), signal);
    EXPECT_NEAR(profile.At(At(start), signal)->grams / exact.emissions.grams, 1, 0.002) << start;
  }
  EXPECT_NEAR(EnergyProfile({Row(1, 3, 3, 2)}).At(At(1.5), signal)->grams, 1.5 * 2 * 400, 1e-6);
  rows[5].intensity.reset();
  EXPECT_TRUE(EnergyProfile(rows).has_unknown());
}

// The uncertainty of a profile is exactly that of the ledger if there is one way of measuring, and
// that of the most uncertain one if there are several.
TEST(FirstCome, HowSureASavingIs) {
  std::vector<core::LedgerRow> rows;
  for (int i = 0; i < 120; ++i) rows.push_back(Row(1, 3 + i / 60.0, 3 + (i + 1) / 60.0, 0.01));
  const core::IntensitySeries signal = Hourly({100, 400, 100, 250, 50, 300, 10});
  const auto exact = [&](Time start) {
    return core::HalfWidthOfDifference(core::RowsAt(rows, start, signal),
                                       core::Revalued(rows, signal),
                                       core::MeterScope::kProcessTree);
  };
  const std::vector<Interval> ran{{At(3), At(5)}};
  const auto told = [&](Time start) {
    return EnergyProfile(rows).HalfWidthOfSaving(ran, start, signal);
  };
  EXPECT_NEAR(told(At(0)) / exact(At(0)), 1, 1e-3);
  EXPECT_NEAR(told(At(1.5)) / exact(At(1.5)), 1, 1e-2);
  EXPECT_NEAR(told(At(3)), 0, 1e-9) << "where it ran";
  // The same ledger with a pause of an hour in the middle.
  const std::vector<Interval> paused{{At(2), At(3)}, {At(4), At(5)}};
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].grid = rows[i].wall = {rows[i].grid.begin - hours{i < 60 ? 1 : 0},
                                   rows[i].grid.end - hours{i < 60 ? 1 : 0}};
  for (std::size_t i = 60; i < rows.size(); ++i) rows[i].attempt = 2;
  EXPECT_NEAR(EnergyProfile(rows).HalfWidthOfSaving(paused, At(0), signal) / exact(At(0)), 1, 1e-2);
  for (std::size_t i = 0; i < rows.size(); i += 2) rows[i].source = core::EnergySource::kCounter;
  EXPECT_GE(EnergyProfile(rows).HalfWidthOfSaving(paused, At(0), signal), exact(At(0)));
}

}  // namespace
}  // namespace ebb::service
