#include "kubernetes/dispatch/dispatcher.h"

#include <gtest/gtest.h>

#include "kubernetes/dispatch/clusters_for_test.h"

namespace ebb::kubernetes {
namespace {

using Names = std::vector<std::string>;
using std::chrono::minutes;

JsonNode Node(const nlohmann::json& json) { return *ParseJson(json.dump(), "test"); }

class DispatcherTest : public ::testing::Test {
 protected:
  DispatcherTest() {
    dispatcher_.TakeCheck(Node(MultiKueueCheckObject("sends", "workers")));
    dispatcher_.TakeConfig(Node(ConfigObject("workers", {"norway", "poland", "france"})));
    Take("norway", {{"zone", "NO"}, {"gpus", "4"}});
    Take("poland", {{"zone", "PL"}, {"gpus", "8"}});
    Take("france", {{"zone", "FR"}});
  }
  static DispatchOptions Options() {
    DispatchOptions options;
    options.name = "ebb/clean-power";
    options.expected = [](const std::string& zone, Duration) -> std::optional<Intensity> {
      static const std::map<std::string, double> kGrams{{"NO", 30}, {"PL", 700}, {"FR", 60}};
      const auto found = kGrams.find(zone);
      return found == kGrams.end() ? std::nullopt : std::optional(Intensity{found->second});
    };
    return options;
  }
  bool Take(const std::string& name, const std::map<std::string, std::string>& annotations,
            bool active = true) {
    return dispatcher_.TakeCluster(Node(WorkerClusterObject(name, annotations, active)));
  }
  Names ClustersOf(const ClusterWish& wish = {}) {
    return dispatcher_.ClustersOf({"sends", "clean-power"}, wish);
  }
  std::optional<std::string> Choose(double gpus, const std::map<std::string, double>& used = {}) {
    return dispatcher_.Choose(
        {ClustersOf(), std::chrono::hours{2}, gpus, true},
        [&](const std::string& cluster) {
          const auto found = used.find(cluster);
          return ClusterUse{16, found == used.end() ? 0 : found->second, 0};
        },
        now_);
  }

  Dispatcher dispatcher_{Options()};
  Duration now_{minutes{100}};
};

TEST_F(DispatcherTest, OnlyQueuesWithItsCheckSendAndOnlyUnderAName) {
  EXPECT_TRUE(dispatcher_.Sends({"sends"}));
  EXPECT_FALSE(dispatcher_.Sends({"clean-power"}));
  EXPECT_FALSE(dispatcher_.Sends({}));
  Dispatcher off{DispatchOptions{}};
  off.TakeCheck(Node(MultiKueueCheckObject("sends", "workers")));
  EXPECT_FALSE(off.Sends({"sends"})) << "Kueue's own dispatcher nominates";
  dispatcher_.DropCheck("uid-of-sends");
  EXPECT_FALSE(dispatcher_.Sends({"sends"}));
}

TEST_F(DispatcherTest, AJobNamesOrForbidsClusters) {
  EXPECT_EQ(ClustersOf(), (Names{"norway", "poland", "france"})) << "in Kueue's order";
  EXPECT_EQ(ClustersOf({ClusterNames("poland, france"), {}}), (Names{"poland", "france"}));
  EXPECT_EQ(ClustersOf({{}, ClusterNames(" norway ")}), (Names{"poland", "france"}));
  EXPECT_EQ(ClustersOf({{"norway"}, {"norway"}}), Names{});
  EXPECT_EQ(dispatcher_.WhyNone({"sends"}, {{"sweden"}, {}}),
            "its annotations ebb/clusters and ebb/avoid-clusters leave none of the clusters "
            "norway, poland, france");
}

TEST_F(DispatcherTest, AClusterWithoutAZoneGetsNothing) {
  EXPECT_TRUE(Take("norway", {{"gpus", "4"}}));
  EXPECT_EQ(ClustersOf(), (Names{"poland", "france"}));
  EXPECT_EQ(dispatcher_.Find("norway")->problems.size(), 1u);
  EXPECT_EQ(dispatcher_.WhyNone({"sends"}, {{"norway"}, {}}),
            "no cluster of norway has the annotation ebb/zone");
  EXPECT_FALSE(Take("norway", {{"gpus", "4"}})) << "nothing new";
}

TEST_F(DispatcherTest, AnAnnotationThatCannotBeReadIsReported) {
  Take("norway", {{"zone", "NO"}, {"gpus", "many"}, {"pue", "0.5"}});
  const WorkerCluster& cluster = *dispatcher_.Find("norway");
  EXPECT_EQ(cluster.problems, (Names{"ebb/pue: \"0.5\" is not a number from 1 to 10",
                                     "ebb/gpus: \"many\" is not a number from 0 to 100000"}));
  EXPECT_FALSE(cluster.gpus);
}

TEST_F(DispatcherTest, RoomIsTheStatedQuotaOrElseThatOfTheQueueHere) {
  const auto room = [&](const std::string& cluster, ClusterUse use) {
    return dispatcher_.RoomIn(cluster, true, use, now_);
  };
  EXPECT_EQ(room("norway", {16, 0, 0}), (ClusterRoom{4, 0}));
  EXPECT_EQ(room("norway", {16, 3, 1}), (ClusterRoom{1, 0}));
  EXPECT_EQ(room("norway", {16, 3, 3}), (ClusterRoom{3, 0}))
      << "what runs there exists in any case";
  EXPECT_EQ(room("france", {16, 2, 0}), (ClusterRoom{14, 0}));
  EXPECT_EQ(room("france", {16, 14, 0, 12}), (ClusterRoom{2, 12})) << "expected back";
  EXPECT_EQ(room("atlantis", {16, 0, 2}), (ClusterRoom{2, 0}));
}

TEST_F(DispatcherTest, AClusterThatIsNotReachedHasOnlyWhatRunsThere) {
  Take("norway", {{"zone", "NO"}, {"gpus", "4"}}, false);
  EXPECT_EQ(dispatcher_.RoomIn("norway", true, {16, 0, 1}, now_), (ClusterRoom{1, 3}));
  EXPECT_EQ(Choose(1), "france");
}

TEST_F(DispatcherTest, AFullClusterHasOnlyWhatItHasAdmittedUntilSomethingEndsOrForAWhile) {
  const auto room = [&] { return dispatcher_.RoomIn("norway", true, {16, 0, 1}, now_); };
  dispatcher_.DidNotAdmit("norway", now_);
  EXPECT_EQ(room(), (ClusterRoom{1, 3}));
  EXPECT_EQ(dispatcher_.NextDue(), now_ + minutes{10});
  dispatcher_.Freed("norway");
  EXPECT_EQ(room(), (ClusterRoom{4, 0}));
  dispatcher_.DidNotAdmit("norway", now_);
  now_ += minutes{10};
  EXPECT_TRUE(dispatcher_.Tick(now_));
  EXPECT_EQ(room(), (ClusterRoom{4, 0}));
  EXPECT_FALSE(dispatcher_.Tick(now_));
}

TEST_F(DispatcherTest, WhatDoesNotWaitGoesToTheCleanestClusterWithRoom) {
  EXPECT_EQ(Choose(2), "norway");
  EXPECT_EQ(Choose(2, {{"norway", 3}}), "france") << "in flight counts";
  EXPECT_EQ(Choose(6), "france");
  EXPECT_EQ(Choose(40), "norway") << "no cluster has room: it waits in the cleanest";
  dispatcher_.DidNotAdmit("norway", now_);
  EXPECT_EQ(Choose(2), "france");
}

TEST_F(DispatcherTest, TheBuildingOfAClusterCounts) {
  Take("france", {{"zone", "FR"}, {"pue", "1.1"}});
  Take("norway", {{"zone", "NO"}, {"pue", "2.5"}});
  EXPECT_EQ(Choose(1), "france") << "60 x 1.1 g is less than 30 x 2.5";
}

TEST_F(DispatcherTest, AnUnknownIntensityIsNotAGoodOne) {
  Take("norway", {{"zone", "SE"}});
  EXPECT_EQ(Choose(1), "france");
}

}  // namespace
}  // namespace ebb::kubernetes
