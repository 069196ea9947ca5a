#include "store/device_history.h"

#include <gtest/gtest.h>

#include "testing/builders.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

const Time kNow = *ParseTime("2023-05-01");

core::Cluster TwoModels() {
  core::Cluster cluster;
  cluster.sites = {{"here", "DE", Pue{1}}};
  cluster.pools = {{"L4", 0, 1, 1, 1, Power{0}}, {"A10", 0, 1, 1, 2, Power{0}}};
  return cluster;
}

class DeviceHistory : public ::testing::Test {
 protected:
  // Adds a job of an estimated hour and 100 W that ran for `minutes` and drew `watts` from one GPU.
  core::JobId Ended(int pool, int minutes, double watts, bool freeze = false) {
    core::Submission submission;
    submission.job = testing::AJob(0).Submitted(kNow);
    submission.job.duration = std::chrono::hours{1};
    submission.job.power = Power{100};
    submission.command = {"true"};
    submission.job.freeze = freeze;
    const core::JobId job = store_.AddJob(submission)->id;
    const Interval ran{kNow, kNow + std::chrono::minutes{minutes}};
    core::LedgerRow row;
    row.attempt = 1;
    row.device = "gpu:GPU-a";
    row.component = core::Component::kGpu;
    row.source = core::EnergySource::kCounter;
    row.wall = row.grid = ran;
    row.energy = Energy::Joules(watts * Seconds(ran.length()));
    core::LedgerRow cpu = row;
    cpu.device = "cpu";
    cpu.component = core::Component::kCpu;
    store_.AddLedger({job, {row, cpu}});
    EXPECT_TRUE(store_.Commit());
    EXPECT_TRUE(
        store_.database().Run("INSERT INTO attempts(job, attempt, pool, began_ms, ended_ms, phase) "
                              "VALUES(?, 1, ?, ?, ?, 'succeeded')",
                              {job, std::int64_t{pool}, ran.begin.time_since_epoch().count(),
                               ran.end.time_since_epoch().count()}));
    Set(job, "stage = 'succeeded'");
    return job;
  }
  void Set(core::JobId job, const std::string& what) {
    EXPECT_TRUE(store_.database().Run("UPDATE jobs SET " + what + " WHERE id = ?", {job}));
  }

  ServiceStore store_ = *ServiceStore::Open(ScratchDirectory("devices") / "ebb.db");
};

TEST_F(DeviceHistory, WhatJobsInOnePieceMeasured) {
  EXPECT_TRUE(DeviceRuns(store_.database())->empty()) << "no pools are remembered";
  RememberPools(store_, TwoModels());
  Ended(0, 60, 70);
  Ended(1, 30, 150);
  Ended(7, 30, 150);       // a pool that nobody remembers
  Ended(0, 30, 70, true);  // could have been frozen
  Set(Ended(0, 30, 70), "pauses = 1");
  Set(Ended(0, 30, 70), "stage = 'failed'");
  const auto runs = DeviceRuns(store_.database());
  ASSERT_TRUE(runs) << runs.error().Message();
  ASSERT_EQ(runs->size(), 2u);
  const core::DeviceRun& newest = runs->front();
  EXPECT_EQ(newest.model, "A10");
  EXPECT_DOUBLE_EQ(newest.run_time_s, 1800);
  EXPECT_DOUBLE_EQ(newest.expected_s, 3600);
  EXPECT_DOUBLE_EQ(newest.power_w, 150);
  EXPECT_DOUBLE_EQ(newest.expected_power_w, 100);
  EXPECT_EQ(DeviceRuns(store_.database(), 3)->size(), 1u) << "of the newest three";
}

TEST_F(DeviceHistory, ThePoolsOfOneMachineHaveNoSites) {
  RememberPools(store_, TwoModels());
  EXPECT_TRUE(SitesOfPools(store_.database())->empty());
}

TEST_F(DeviceHistory, RemembersTheSiteOfEachPool) {
  core::Cluster cluster = TwoModels();
  cluster.sites.resize(1);
  cluster.sites[0].name = "here";
  cluster.sites.push_back({"norway", "NO-NO1", {1}});
  cluster.pools.push_back(cluster.pools.front());
  cluster.pools.back().site = 1;
  RememberPools(store_, cluster);
  ASSERT_TRUE(store_.Commit());
  const auto sites = SitesOfPools(store_.database());
  ASSERT_TRUE(sites) << sites.error().Message();
  ASSERT_EQ(sites->size(), cluster.pools.size());
  EXPECT_EQ(sites->front().name, "here");
  EXPECT_EQ(sites->back().name, "norway");
  EXPECT_EQ(sites->back().zone, "NO-NO1");
}

}  // namespace
}  // namespace ebb::store
