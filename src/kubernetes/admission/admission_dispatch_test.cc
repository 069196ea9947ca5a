// Sending Workloads to worker clusters of a MultiKueue.

#include <gtest/gtest.h>

#include "kubernetes/kueue_world_for_test.h"

namespace ebb::kubernetes {
namespace {

using Names = std::vector<std::string>;

class AdmissionDispatchTest : public KueueTest {
 protected:
  AdmissionDispatchTest() {
    DispatchOptions& dispatch = options_.kueue.dispatch;
    dispatch.name = "ebb/clean-power";
    dispatch.expected = [](const std::string& zone, Duration) -> std::optional<Intensity> {
      return Intensity{zone == "NO" ? 30.0 : 700.0};
    };
  }
  void BeginSending(Duration admits_within = std::chrono::minutes{5}) {
    options_.kueue.dispatch.admits_within = admits_within;
    server_.Create("/api/v1/nodes", NodeObject("node", 64, 8, "A100"));
    kueue_.emplace(server_, "v1beta2", 8);
    kueue_->AddCluster("norway", {{"zone", "NO"}, {"gpus", "4"}, {"pue", "1.2"}});
    kueue_->AddCluster("poland", {{"zone", "PL"}});
    kueue_->SendTo({"norway", "poland"});
    Restart();
  }
  core::DevicePool PoolOf(const std::string& cluster) {
    for (const core::DevicePool& pool : executor_->cluster().pools)
      if (pool.model == "ClusterQueue all in " + cluster) return pool;
    ADD_FAILURE() << "no pool of " << cluster;
    return {};
  }
  int NumberOf(const std::string& cluster) {
    const auto& pools = executor_->cluster().pools;
    const auto found = std::ranges::find(pools, PoolOf(cluster).model, &core::DevicePool::model);
    return static_cast<int>(found - pools.begin());
  }
  void StartIn(const std::string& name, const std::string& cluster, int attempt = 1) {
    const core::JobId job = JobOf(name).id;
    ASSERT_TRUE(executor_->Execute(engine::StartJob{job, attempt, NumberOf(cluster)}));
  }
  bool Nominated(const std::string& name, const Names& names) {
    return Until([&] { return kueue_->Nominated(name) == names; });
  }
  bool SaidStartFailed(const std::string& why) {
    return std::ranges::any_of(reports_, [&](const engine::JobReport& report) {
      return report.phase == JobPhase::kStartFailed && report.detail.starts_with(why);
    });
  }
};

TEST_F(AdmissionDispatchTest, EachClusterIsASiteWithAPool) {
  BeginSending();
  kueue_->Submit("train", 2);
  EXPECT_EQ(JobOf("train").models,
            (Names{"ClusterQueue all in norway", "ClusterQueue all in poland"}));
  const core::Cluster cluster = executor_->cluster();
  const core::DevicePool norway = PoolOf("norway"), poland = PoolOf("poland");
  EXPECT_EQ(cluster.sites[static_cast<std::size_t>(norway.site)],
            (core::Site{"norway", "NO", Pue{1.2}}));
  EXPECT_EQ(cluster.sites[static_cast<std::size_t>(poland.site)],
            (core::Site{"poland", "PL", Pue{}}));
  EXPECT_EQ(norway.count, 4);
  EXPECT_EQ(poland.count, 8) << "unknown: as many as the queue has here";
}

TEST_F(AdmissionDispatchTest, WhatWaitsIsNominatedNowhere) {
  BeginSending();
  kueue_->Submit("train", 2);
  EXPECT_TRUE(Until([&] { return IsHeld("train") && kueue_->Reserved() == 0; }));
  EXPECT_EQ(kueue_->Nominated("train"), Names{});
}

// Kueue sets the checks a moment after it has reserved quota.
TEST_F(AdmissionDispatchTest, WhatHasNoChecksYetIsNominatedNowhere) {
  BeginSending();
  kueue_->Submit("train", 2);
  server_.Patch(kueue_->workloads(), "job-train", {{"status", {{"admissionChecks", nullptr}}}});
  kueue_->Reserve("train");
  GoOnFor(Duration{300}, false);
  EXPECT_EQ(kueue_->Nominated("train"), Names{});
}

TEST_F(AdmissionDispatchTest, AReleaseNominatesTheClusterOfItsPool) {
  BeginSending();
  kueue_->Submit("train", 2);
  StartIn("train", "poland");
  EXPECT_TRUE(Nominated("train", {"poland"}));
  GoOnFor(Duration{100});
  EXPECT_FALSE(Holds(kueue_->Get("train"), "Admitted")) << "no worker has admitted it";
  EXPECT_FALSE(kueue_->Admit("train", "norway"));
  EXPECT_TRUE(kueue_->Admit("train", "poland"));
  EXPECT_TRUE(Until([&] { return Runs("train"); }));
  GoOnFor(Duration{100});
  EXPECT_EQ(kueue_->Nominated("train"), Names{}) << "Kueue has emptied the field";
}

TEST_F(AdmissionDispatchTest, AJobNamesOrForbidsClusters) {
  BeginSending();
  kueue_->Submit("named", 1, {{"ebb/clusters", "poland"}});
  kueue_->Submit("forbidden", 1, {{"ebb/avoid-clusters", "poland"}});
  EXPECT_EQ(JobOf("named").models, Names{"ClusterQueue all in poland"});
  EXPECT_EQ(JobOf("forbidden").models, Names{"ClusterQueue all in norway"});
  kueue_->Submit("nowhere", 1, {{"ebb/clusters", "sweden"}});
  EXPECT_TRUE(Until([&] {
    return server_.Get(kJobs, "nowhere")["metadata"]["annotations"]
               .value("ebb/reason", "")
               .find("leave none of the clusters norway, poland") != std::string::npos;
  })) << "people look at the Job";
}

TEST_F(AdmissionDispatchTest, AClusterThatDoesNotAdmitInTimeIsFullAndTheEngineDecidesAgain) {
  BeginSending(Duration{200});
  kueue_->Submit("train", 2);
  StartIn("train", "norway");
  ASSERT_TRUE(Nominated("train", {"norway"}));
  EXPECT_TRUE(
      Until([&] { return SaidStartFailed("the cluster norway has not admitted it within"); }));
  EXPECT_EQ(PoolOf("norway").count, 0);
  EXPECT_EQ(PoolOf("norway").away, 4) << "it is expected back";
  EXPECT_EQ(kueue_->Nominated("train"), Names{});
  StartIn("train", "poland", 2);
  ASSERT_TRUE(Nominated("train", {"poland"}));
  ASSERT_TRUE(kueue_->Admit("train", "poland"));
  EXPECT_TRUE(Until([&] { return Runs("train"); }));
}

TEST_F(AdmissionDispatchTest, AClusterThatIsLostIsNotUsedAndItsNomineesComeBack) {
  BeginSending(Duration{2'000});
  kueue_->Submit("nominee", 1);
  kueue_->Submit("runs", 2);
  StartIn("nominee", "norway");
  StartIn("runs", "norway");
  ASSERT_TRUE(Nominated("nominee", {"norway"}) && Nominated("runs", {"norway"}));
  ASSERT_TRUE(kueue_->Admit("runs", "norway"));
  ASSERT_TRUE(Until([&] { return Runs("runs"); }));
  kueue_->SetActive("norway", false);
  EXPECT_TRUE(
      Until([&] { return SaidStartFailed("the manager does not reach the cluster norway"); }));
  EXPECT_TRUE(Runs("runs")) << "Kueue gives it up only when the cluster stays lost";
  EXPECT_EQ(PoolOf("norway").count, 2);
  EXPECT_EQ(PoolOf("norway").away, 2);
  kueue_->SetActive("norway", true);
  EXPECT_TRUE(Until([&] { return PoolOf("norway").count == 4; }));
}

TEST_F(AdmissionDispatchTest, AnEvictionInTheWorkerMakesItWaitAgain) {
  BeginSending();
  kueue_->Submit("train", 2);
  StartIn("train", "norway");
  ASSERT_TRUE(Nominated("train", {"norway"}) && kueue_->Admit("train", "norway"));
  ASSERT_TRUE(Until([&] { return Runs("train"); }));
  GoOnFor(Duration{50});
  kueue_->Evict("train", 1);
  EXPECT_TRUE(Until([&] { return Reported(JobPhase::kPaused); }));
  StartIn("train", "poland", 2);
  EXPECT_TRUE(Nominated("train", {"poland"}));
}

TEST_F(AdmissionDispatchTest, WhatDoesNotWaitIsNominatedAtOnceToTheCleanestWithRoom) {
  BeginSending();
  kueue_->Submit("hasty", 3, {{"ebb/wait", "false"}});
  EXPECT_TRUE(Nominated("hasty", {"norway"}));
  kueue_->Submit("second", 3, {{"ebb/wait", "false"}});
  EXPECT_TRUE(Nominated("second", {"poland"})) << "norway has no room beside the first one";
}

// No check of Ebb can bring it back, so the list of clusters grows.
TEST_F(AdmissionDispatchTest, WhatDoesNotWaitIsNominatedToAFurtherClusterWhenOneIsLate) {
  BeginSending(Duration{200});
  kueue_->Submit("hasty", 1, {{"ebb/wait", "false"}});
  ASSERT_TRUE(Nominated("hasty", {"norway"}));
  EXPECT_TRUE(Nominated("hasty", {"norway", "poland"}));
  GoOnFor(Duration{500});
  EXPECT_EQ(kueue_->Nominated("hasty"), (Names{"norway", "poland"}));
}

TEST_F(AdmissionDispatchTest, AnotherControllerKeepsTheClusterOfWhatRuns) {
  BeginSending();
  kueue_->Submit("train", 2);
  StartIn("train", "poland");
  ASSERT_TRUE(Nominated("train", {"poland"}) && kueue_->Admit("train", "poland"));
  ASSERT_TRUE(Until([&] { return Runs("train"); }));
  jobs_.clear();
  reports_.clear();
  Restart();
  EXPECT_EQ(JobOf("train").models, Names{"ClusterQueue all in poland"});
  const auto reports = executor_->Observe();
  ASSERT_EQ(reports->size(), 1u);
  EXPECT_EQ(reports->front().phase, JobPhase::kRunning);
  EXPECT_EQ(reports->front().pool, NumberOf("poland"));
}

// A worker may run it already, and taking it back would have it run twice.
TEST_F(AdmissionDispatchTest, AnotherControllerLeavesANominationToTheWorker) {
  BeginSending();
  kueue_->Submit("train", 2);
  StartIn("train", "poland");
  ASSERT_TRUE(Nominated("train", {"poland"}));
  jobs_.clear();
  reports_.clear();
  Restart();
  EXPECT_EQ(JobOf("train").models, Names{"ClusterQueue all in poland"});
  EXPECT_TRUE(Until([&] { return PoolOf("poland").count == 6; })) << "it is in flight";
  GoOnFor(Duration{300});
  EXPECT_EQ(kueue_->Nominated("train"), Names{"poland"});
  ASSERT_TRUE(kueue_->Admit("train", "poland"));
  EXPECT_TRUE(Until([&] { return Reported(JobPhase::kRunning); }));
  EXPECT_EQ(reports_.back().pool, NumberOf("poland"));
}

// The engine would refuse a job for a pool that never has so many devices.
TEST_F(AdmissionDispatchTest, AnotherControllerExpectsTheDevicesOfANominationBack) {
  BeginSending();
  kueue_->Submit("train", 6);
  StartIn("train", "poland");
  ASSERT_TRUE(Nominated("train", {"poland"}));
  jobs_.clear();
  Restart();
  EXPECT_EQ(JobOf("train").models, Names{"ClusterQueue all in poland"});
  EXPECT_TRUE(Until([&] { return PoolOf("poland").count == 2; })) << "it is in flight";
  EXPECT_EQ(PoolOf("poland").away, 6);
  ASSERT_TRUE(kueue_->Admit("train", "poland"));
  EXPECT_TRUE(Until([&] { return PoolOf("poland").count == 8; }));
  EXPECT_EQ(PoolOf("poland").away, 0);
}

TEST_F(AdmissionDispatchTest, AnotherControllerTakesALateNominationBack) {
  BeginSending(Duration{300});
  kueue_->Submit("train", 2);
  StartIn("train", "poland");
  ASSERT_TRUE(Nominated("train", {"poland"}));
  jobs_.clear();
  Restart();
  EXPECT_TRUE(Until([&] { return IsHeld("train") && kueue_->Nominated("train").empty(); }));
}

TEST_F(AdmissionDispatchTest, ANewClusterIsUsed) {
  BeginSending();
  kueue_->Submit("train", 2);
  JobOf("train");
  jobs_.clear();
  kueue_->AddCluster("france", {{"zone", "FR"}});
  server_.Patch("/apis/kueue.x-k8s.io/v1beta2/multikueueconfigs", "workers",
                {{"spec", {{"clusters", {"norway", "poland", "france"}}}}});
  EXPECT_TRUE(Until([&] { return jobs_.contains("default/train"); }));
  EXPECT_EQ(jobs_["default/train"].models.size(), 3u);
}

TEST_F(AdmissionDispatchTest, UnderKueuesOwnDispatcherNothingIsNominated) {
  options_.kueue.dispatch.name.clear();
  BeginSending();
  kueue_->Submit("train", 2);
  EXPECT_EQ(JobOf("train").models, Names{"ClusterQueue all"});
  Start("train");
  EXPECT_TRUE(Until([&] { return State("train") == "Ready"; }));
  GoOnFor(Duration{200});
  EXPECT_EQ(kueue_->Nominated("train"), Names{});
}

}  // namespace
}  // namespace ebb::kubernetes
