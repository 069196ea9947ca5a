// Ledger and signal history: stored values read back exactly, and the sums equal those of core.
#include <gtest/gtest.h>

#include "base/random.h"
#include "store/accounts/ledger_sums_for_test.h"
#include "store/service_store.h"
#include "testing/builders.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kNow = *ParseTime("2023-05-01");

core::Submission ASubmission(const std::string& key = "") {
  core::Submission submission;
  submission.job = testing::AJob(0).Submitted(kNow);
  submission.command = {"true"};
  submission.key = key;
  return submission;
}

core::LedgerRow RandomRow(Random& random, Time at) {
  core::LedgerRow row;
  row.attempt = 1 + static_cast<int>(random.Below(3));
  row.device = "gpu:" + std::to_string(random.Below(4));
  row.component = static_cast<core::Component>(random.Below(3));
  row.source = static_cast<core::EnergySource>(random.Below(3));
  row.wall = {at, at + minutes{1}};
  row.grid = {at + hours{1}, at + hours{1} + minutes{1}};
  row.energy = Energy::Microjoules(static_cast<std::int64_t>(random.Below(1'000'000'000'000)));
  row.pue = {random.Uniform(1, 2)};
  if (random.Below(4) != 0) row.intensity = Intensity{random.Uniform(0, 900)};
  row.intensity_status = static_cast<core::SampleStatus>(random.Below(4));
  row.signal_kind = static_cast<core::SignalKind>(random.Below(2));
  if (random.Below(2) != 0) {
    row.other.emplace().status = static_cast<core::SampleStatus>(random.Below(4));
    row.other->kind = static_cast<core::SignalKind>(random.Below(2));
    if (random.Below(3) != 0) row.other->intensity = Intensity{random.Uniform(0, 900)};
  }
  if (random.Below(2) != 0) row.intensity_source = "second";
  row.shared = random.Below(2) != 0;
  return row;
}

void ExpectSame(const core::LedgerRow& a, const core::LedgerRow& b) {
  EXPECT_EQ(std::tie(a.attempt, a.device, a.component, a.source, a.wall, a.grid, a.energy, a.pue,
                     a.intensity, a.intensity_status, a.signal_kind, a.intensity_source, a.shared),
            std::tie(b.attempt, b.device, b.component, b.source, b.wall, b.grid, b.energy, b.pue,
                     b.intensity, b.intensity_status, b.signal_kind, b.intensity_source, b.shared));
  ASSERT_EQ(a.other.has_value(), b.other.has_value());
  if (!a.other) return;
  EXPECT_EQ(std::tie(a.other->intensity, a.other->status, a.other->kind),
            std::tie(b.other->intensity, b.other->status, b.other->kind));
}

TEST(LedgerRecords, RowsReadBackExactlyAndAddUpAsInCore) {
  auto store = *ServiceStore::Open(ScratchDirectory("ledger") / "ebb.db");
  Random random(11);
  const core::JobId job = store.AddJob(ASubmission())->id;
  std::vector<core::LedgerRow> rows;
  for (int batch = 0; batch < 30; ++batch) {
    LedgerBatch add{job, {}};
    for (std::uint64_t i = random.Below(20); i > 0; --i)
      add.rows.push_back(RandomRow(random, kNow + minutes{rows.size() + add.rows.size()}));
    rows.insert(rows.end(), add.rows.begin(), add.rows.end());
    store.AddLedger(add);
    if (batch % 3 == 0) {
      ASSERT_TRUE(store.Commit());
    }
  }
  ASSERT_TRUE(store.Commit());
  const auto read = *LedgerOf(store.database(), job);
  ASSERT_EQ(read.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) ExpectSame(read[i], rows[i]);
  const core::LedgerTotals totals = core::Total(rows);
  const LedgerSums sums = *SumLedger(store.database(), job);
  EXPECT_EQ(sums.energy, totals.energy);
  EXPECT_EQ(sums.energy_without_intensity, totals.energy_without_intensity);
  Energy gpu;
  for (const core::LedgerRow& row : rows)
    if (row.component == core::Component::kGpu) gpu += row.energy;
  EXPECT_EQ(sums.gpu_energy.value_or(Energy{}), gpu);
  EXPECT_NEAR(sums.emissions->grams, totals.emissions.grams, 1e-12 * totals.emissions.grams);
  const JobRecord record = **FindJob(store.database(), job);
  EXPECT_EQ(record.energy, totals.energy);
  EXPECT_EQ(record.energy_without_intensity, totals.energy_without_intensity);
  EXPECT_NEAR(record.emissions->grams, totals.emissions.grams, 1e-12 * totals.emissions.grams);
}

TEST(LedgerRecords, UnknownEmissionsAreNotZero) {
  auto store = *ServiceStore::Open(ScratchDirectory("unknown") / "ebb.db");
  const core::JobId job = store.AddJob(ASubmission())->id;
  core::LedgerRow row;
  row.wall = row.grid = {kNow, kNow + minutes{1}};
  row.energy = Energy::Joules(5);
  store.AddLedger({job, {row}});
  store.AddLedger({job + 100, {row}});  // a job that was pruned meanwhile
  ASSERT_TRUE(store.Commit());
  EXPECT_FALSE((**FindJob(store.database(), job)).emissions);
  EXPECT_FALSE(SumLedger(store.database(), job)->emissions);
  EXPECT_TRUE(LedgerOf(store.database(), job + 100)->empty());
}

core::IntensitySeries Series(Time begin, Duration step, std::vector<double> values,
                             core::SampleStatus status) {
  std::vector<core::Sample> samples;
  for (const double value : values) {
    samples.push_back({{begin, begin + step}, {value}, status});
    begin += step;
  }
  return *core::IntensitySeries::Create(
      {"Z", core::SignalKind::kAverage, core::Boundary::kLifecycle, "test"}, samples);
}

TEST(SignalRecords, TheBetterValueIsKept) {
  auto store = *ServiceStore::Open(ScratchDirectory("signal") / "ebb.db");
  using core::SampleStatus;
  store.AddSignal(Series(kNow, hours{1}, {1, 2, 3, 4}, SampleStatus::kForecast));
  store.AddSignal(Series(kNow, hours{1}, {10, 20}, SampleStatus::kMeasured));
  store.AddSignal(Series(kNow, hours{1}, {11, 21, 31}, SampleStatus::kEstimated));
  store.AddSignal(Series(kNow + hours{3}, hours{1}, {44}, SampleStatus::kForecast));
  store.AddSignal(Series(kNow + hours{3}, hours{1}, {9}, SampleStatus::kModelled));
  store.AddSignal(Series(kNow, hours{1}, {12}, SampleStatus::kMeasured));
  ASSERT_TRUE(store.Commit());
  const core::SignalIdentity identity{"Z", core::SignalKind::kAverage, core::Boundary::kLifecycle,
                                      ""};
  const auto history =
      *SignalHistory(store.database(), identity, {kNow + minutes{30}, kNow + hours{9}});
  std::vector<double> values;
  for (const core::Sample& sample : history.samples()) values.push_back(sample.intensity.g_per_kwh);
  EXPECT_EQ(values, (std::vector<double>{12, 20, 31, 44}));
  EXPECT_EQ(history.samples()[2].status, SampleStatus::kEstimated);
  EXPECT_EQ(history.span(), (Interval{kNow + minutes{30}, kNow + hours{4}})) << "cut to the window";
  const core::SignalIdentity other{"Z", core::SignalKind::kMarginal, core::Boundary::kLifecycle,
                                   ""};
  EXPECT_TRUE(SignalHistory(store.database(), other, {kNow, kNow + hours{9}})->empty());
}

TEST(SignalRecords, AFinerSampleEndsTheCoarserOneBeforeIt) {
  auto store = *ServiceStore::Open(ScratchDirectory("finer") / "ebb.db");
  store.AddSignal(Series(kNow, hours{1}, {1}, core::SampleStatus::kMeasured));
  store.AddSignal(Series(kNow + minutes{30}, minutes{30}, {2}, core::SampleStatus::kMeasured));
  ASSERT_TRUE(store.Commit());
  const core::SignalIdentity identity{"Z", core::SignalKind::kAverage, core::Boundary::kLifecycle,
                                      ""};
  const auto history = *SignalHistory(store.database(), identity, {kNow, kNow + hours{1}});
  ASSERT_EQ(history.samples().size(), 2u);
  EXPECT_EQ(history.samples()[0].interval, (Interval{kNow, kNow + minutes{30}}));
}

TEST(JobRecords, AreListedByPagesAndFilters) {
  auto store = *ServiceStore::Open(ScratchDirectory("list") / "ebb.db");
  for (int i = 0; i < 25; ++i) {
    core::Submission submission = ASubmission();
    submission.job.name = i % 2 ? "odd" : "even";
    submission.job.submitted = kNow + minutes{i};
    submission.recurring = i % 5 ? "" : "nightly";
    ASSERT_EQ(store.AddJob(submission)->id, i + 1);
  }
  ASSERT_TRUE(store.Commit());
  Database& database = store.database();
  JobFilter filter;
  filter.limit = 10;
  std::vector<core::JobId> ids;
  for (;;) {
    const auto page = *ListJobs(database, filter);
    if (page.empty()) break;
    for (const JobRecord& job : page) ids.push_back(job.id);
    filter.before = page.back().id;
  }
  ASSERT_EQ(ids.size(), 25u);
  EXPECT_TRUE(std::is_sorted(ids.rbegin(), ids.rend()));
  filter = {};
  filter.name = "odd";
  filter.since = kNow + minutes{20};
  EXPECT_EQ(ListJobs(database, filter)->size(), 2u);
  filter = {};
  filter.recurring = "nightly";
  EXPECT_EQ(ListJobs(database, filter)->size(), 5u);
  filter = {};
  filter.stages = {engine::Stage::kRunning, engine::Stage::kFailed};
  EXPECT_TRUE(ListJobs(database, filter)->empty());
  ASSERT_TRUE(store.RefuseJob(3, kNow, "too wide"));
  const auto failed = *ListJobs(database, filter);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].detail, "too wide");
  ASSERT_EQ(CountJobs(database)->size(), 2u);
  EXPECT_FALSE(*FindJob(database, 99));
  EXPECT_EQ((**FindSubmission(database, 4)).job.name, "odd");
}

TEST(JobRecords, ThoseThatEndedInATimeAndThoseOfAUserAreFound) {
  auto store = *ServiceStore::Open(ScratchDirectory("ended") / "ebb.db");
  for (int i = 0; i < 6; ++i) {
    core::Submission submission = ASubmission();
    if (i % 2 == 0) submission.environment = {{"PATH", "/x"}, {"EBB_USER", i == 0 ? "ada" : "bo"}};
    const core::JobId job = store.AddJob(submission)->id;
    ASSERT_TRUE(store.Commit());
    if (i < 5) {
      ASSERT_TRUE(store.RefuseJob(job, kNow + hours{i}, "no"));
    }
  }
  const auto ids = [&](const JobFilter& filter) {
    std::vector<core::JobId> found;
    const auto jobs = ListJobs(store.database(), filter);
    EXPECT_TRUE(jobs) << jobs.error().Message();
    for (const JobRecord& job : jobs.value_or(std::vector<JobRecord>())) found.push_back(job.id);
    return found;
  };
  JobFilter filter;
  filter.ended_from = kNow + hours{1};
  filter.ended_before = kNow + hours{4};
  EXPECT_EQ(ids(filter), (std::vector<core::JobId>{4, 3, 2}));
  filter = {};
  filter.user = "bo";
  EXPECT_EQ(ids(filter), (std::vector<core::JobId>{5, 3}));
  filter.user = "b";
  EXPECT_TRUE(ids(filter).empty());
}

TEST(JobRecords, AKeyIsTakenOnce) {
  const auto path = ScratchDirectory("keys") / "ebb.db";
  {
    auto store = *ServiceStore::Open(path);
    EXPECT_FALSE(store.AddJob(ASubmission("k"))->existing);
    EXPECT_TRUE(store.AddJob(ASubmission("k"))->existing) << "in the same group";
    ASSERT_TRUE(store.Commit());
    EXPECT_EQ(store.AddJob(ASubmission("k"))->id, 1);
    EXPECT_EQ(store.AddJob(ASubmission())->id, 2);
    EXPECT_EQ(store.AddJob(ASubmission())->id, 3) << "no key, no likeness";
    ASSERT_TRUE(store.Commit());
    ASSERT_TRUE(store.RefuseJob(3, kNow, "no"));
  }
  auto store = *ServiceStore::Open(path);
  EXPECT_EQ(*FindJobByKey(store.database(), "k"), 1);
  EXPECT_EQ(store.AddJob(ASubmission())->id, 4);
}

TEST(JobRecords, AKeyOfAnEarlierVersionIsThatOfTheUserInItsSubmission) {
  const auto path = ScratchDirectory("old_keys") / "ebb.db";
  {
    auto store = *ServiceStore::Open(path);
    core::Submission submission = ASubmission("k");
    submission.environment.emplace_back("EBB_USER", "ada");
    ASSERT_TRUE(store.AddJob(submission));
    ASSERT_TRUE(store.Commit());
    ASSERT_TRUE(store.database().Run("UPDATE jobs SET key = 'k'", {}));
  }
  auto store = *ServiceStore::Open(path);
  EXPECT_EQ(*store.JobOfKey("k", "ada"), 1);
  EXPECT_FALSE(*store.JobOfKey("k", "bob"));
  EXPECT_FALSE(store.AddJob(ASubmission("k"))->existing) << "of nobody";
  ASSERT_TRUE(store.Commit()) << "beside the other";
  EXPECT_EQ((*FindJob(store.database(), 2))->key, "k");
}

TEST(JobRecords, WhatIsTakenBackLeavesItsNumberAndItsKey) {
  auto store = *ServiceStore::Open(ScratchDirectory("taken_back") / "ebb.db");
  EXPECT_EQ(store.AddJob(ASubmission("first"))->id, 1);
  const StoreMark mark = store.mark();
  SweepRecord sweep;
  sweep.name = sweep.key = "sweep";
  EXPECT_EQ(store.AddSweep(sweep)->id, 1);
  EXPECT_EQ(store.AddJob(ASubmission("second"))->id, 2);
  store.TakeBack(mark);
  EXPECT_FALSE(*store.JobOfKey("second"));
  EXPECT_EQ(*store.JobOfKey("first"), 1);
  EXPECT_EQ(store.AddJob(ASubmission("second"))->id, 2);
  ASSERT_TRUE(store.Commit());
  EXPECT_EQ(**store.database().Integer("SELECT count(*) FROM jobs"), 2);
  EXPECT_FALSE(*FindSweep(store.database(), 1));
  EXPECT_FALSE(store.AddSweep(sweep)->existing);
}

TEST(JobRecords, ARefusedOneLeavesItsKey) {
  auto store = *ServiceStore::Open(ScratchDirectory("refused_key") / "ebb.db");
  ASSERT_EQ(store.AddJob(ASubmission("k"))->id, 1);
  ASSERT_TRUE(store.RefuseJob(1, kNow, "too wide"));
  EXPECT_EQ((**FindJob(store.database(), 1)).stage, engine::Stage::kFailed);
  const auto corrected = store.AddJob(ASubmission("k"));
  EXPECT_FALSE(corrected->existing);
  EXPECT_EQ(corrected->id, 2);
}

}  // namespace
}  // namespace ebb::store
