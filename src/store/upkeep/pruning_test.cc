#include "store/upkeep/pruning.h"

#include <gtest/gtest.h>

#include "core/ledger/ledger.h"
#include "store/device_history.h"
#include "store/service_store.h"
#include "store/upkeep/store_check.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

using std::chrono::hours;

const Time kNow = *ParseTime("2023-05-01");

class Pruning : public ::testing::Test {
 protected:
  // Adds a job that ended `age` ago, with `rows` rows in its ledger.
  core::JobId Ended(hours age, int rows) {
    core::Submission submission;
    submission.job.name = "job";
    submission.job.submitted = kNow - age;
    const core::JobId job = store_.AddJob(submission)->id;
    AddRows(job, rows);
    EXPECT_TRUE(store_.Commit());
    EXPECT_TRUE(
        store_.database().Run("UPDATE jobs SET stage = 'succeeded', ended_ms = ?2 WHERE id = ?1",
                              {job, (kNow - age).time_since_epoch().count()}));
    return job;
  }
  void AddRows(core::JobId job, int rows) {
    LedgerBatch batch{job, {}};
    core::LedgerRow row;
    row.attempt = 1;
    row.device = "gpu:GPU-a";
    row.component = core::Component::kGpu;
    row.source = core::EnergySource::kCounter;
    row.energy = Energy::Joules(10);
    row.intensity = Intensity{100};
    row.wall = row.grid = {kNow, kNow + Duration{1000}};
    batch.rows.assign(static_cast<std::size_t>(rows), row);
    store_.AddLedger(batch);
  }
  // Takes steps until nothing is left; returns their number.
  int PruneAll(Time before) {
    for (int steps = 0;; ++steps) {
      const auto step = store_.Prune(before, [this](core::JobId job) { folders_.push_back(job); });
      EXPECT_TRUE(step);
      if (!step || step->job == 0) return steps;
      EXPECT_LE(step->rows, 2000);
    }
  }
  std::int64_t RowsOf(core::JobId job) {
    return **store_.database().Integer("SELECT count(*) FROM ledger WHERE job = ?", {job});
  }
  bool IsSound() {
    const auto results = CheckStore(store_.database(), {});
    EXPECT_TRUE(results);
    return std::all_of(results->begin(), results->end(),
                       [](const CheckResult& result) { return result.problems.empty(); });
  }

  const platform::Path path_ = ScratchDirectory("pruning") / "ebb.db";
  ServiceStore store_ = *ServiceStore::Open(path_);
  std::vector<core::JobId> folders_;
};

TEST_F(Pruning, LedgersOfOldJobsGoAndTheirSumsStay) {
  const core::JobId old = Ended(hours{100}, 5000), young = Ended(hours{10}, 3);
  core::Submission submission;
  const core::JobId live = store_.AddJob(submission)->id;
  AddRows(live, 3);
  ASSERT_TRUE(store_.Commit());
  const LedgerSums before = *StoredSums(store_.database(), old);
  EXPECT_EQ(PruneAll(kNow - hours{50}), 3);
  EXPECT_EQ(folders_, std::vector<core::JobId>{old});
  EXPECT_EQ(RowsOf(old), 0);
  EXPECT_EQ(RowsOf(young), 3);
  EXPECT_EQ(RowsOf(live), 3);
  const LedgerSums after = *StoredSums(store_.database(), old);
  EXPECT_EQ(after.energy, Energy::Joules(50'000));
  EXPECT_EQ(after.energy, before.energy);
  EXPECT_EQ(after.emissions, before.emissions);
  EXPECT_EQ(after.gpu_energy, Energy::Joules(50'000));
  EXPECT_TRUE((*FindJob(store_.database(), old))->pruned);
  EXPECT_FALSE((*FindJob(store_.database(), young))->pruned);
  EXPECT_TRUE(IsSound());
  EXPECT_EQ(PruneAll(kNow), 1);
  EXPECT_EQ(PruneAll(kNow + hours{1000}), 0) << "a job that has not ended stays as it is";
  EXPECT_EQ(RowsOf(live), 3);
}

TEST_F(Pruning, OneThatIsCutOffGoesOn) {
  const core::JobId job = Ended(hours{100}, 5000);
  ASSERT_TRUE(store_.Prune(kNow, [](core::JobId) {}));
  EXPECT_EQ(RowsOf(job), 3000);
  EXPECT_TRUE(IsSound()) << "its sums are not those of what is left";
  EXPECT_EQ(PruneAll(kNow), 2);
  EXPECT_EQ(RowsOf(job), 0);
}

TEST_F(Pruning, TheEstimateIsWhatIsDone) {
  Ended(hours{100}, 2500);
  Ended(hours{90}, 7);
  Ended(hours{10}, 5);
  const auto estimate = EstimatePruning(store_.database(), kNow - hours{50});
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->jobs, 2);
  EXPECT_EQ(estimate->rows, 2507);
}

TEST_F(Pruning, SpaceIsGivenBack) {
  Ended(hours{100}, 20'000);
  const auto pages = [&] { return **store_.database().Integer("PRAGMA page_count"); };
  const std::int64_t before = pages();
  PruneAll(kNow);
  ASSERT_TRUE(GiveBackPages(store_.database(), 100, 50));
  EXPECT_EQ(pages(), before - 50);
  ASSERT_TRUE(Compact(store_.database()));
  EXPECT_LT(pages(), before / 4);
}

// A store that was made without incremental vacuum is rewritten once.
TEST_F(Pruning, AnOlderStoreGivesSpaceBackToo) {
  Ended(hours{100}, 20'000);
  ASSERT_TRUE(store_.database().RunScript("PRAGMA auto_vacuum=NONE; VACUUM"));
  const auto pages = [&] { return **store_.database().Integer("PRAGMA page_count"); };
  const std::int64_t before = pages();
  PruneAll(kNow);
  ASSERT_TRUE(GiveBackPages(store_.database(), 0, 50));
  EXPECT_EQ(pages(), before);
  ASSERT_TRUE(Compact(store_.database()));
  EXPECT_LT(pages(), before / 4);
  EXPECT_EQ(**store_.database().Integer("PRAGMA auto_vacuum"), 2);
}

TEST_F(Pruning, WhatJobsMeasuredOfTheirDevicesStays) {
  core::Cluster cluster;
  cluster.pools = {{"A10", 0, 1, 1, 1, Power{0}}};
  RememberPools(store_, cluster);
  const core::JobId job = Ended(hours{100}, 4);
  ASSERT_TRUE(store_.Commit());
  ASSERT_TRUE(
      store_.database().Run("INSERT INTO attempts(job, attempt, pool, began_ms, ended_ms, phase)"
                            " VALUES(?, 1, 0, 0, 4000, 'succeeded')",
                            {job}));
  PruneAll(kNow);
  const auto runs = DeviceRuns(store_.database());
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_DOUBLE_EQ(runs->front().power_w, 10);
}

}  // namespace
}  // namespace ebb::store
