#include "kubernetes/nodes/node_timelines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
using std::chrono::minutes;

constexpr Time kNow{std::chrono::hours{500'000}};

// A group whose nodes start within 5 minutes and stay idle for 10.
class NodeTimelinesTest : public ::testing::Test {
 protected:
  static std::vector<NodeGroup> Groups() {
    NodeGroup group;
    group.name = "spot";
    group.labels = {{"pool", "spot"}};
    group.gpus = 8;
    group.most_nodes = 4;
    return {group};
  }
  void Node(const char* name, minutes age = minutes{0}) {
    const Json node{{"metadata",
                     {{"name", name},
                      {"uid", name},
                      {"labels", {{"pool", "spot"}}},
                      {"creationTimestamp", FormatTime(now_ - age)}}}};
    timelines_.TakeNode(*ParseJson(node.dump(), "node"));
  }
  void Pod(const char* uid, const char* node, const char* job, const char* phase = "Running") {
    const Json pod{{"metadata", {{"name", uid}, {"uid", uid}, {"labels", {{"job", job}}}}},
                   {"spec", {{"nodeName", node}}},
                   {"status", {{"phase", phase}}}};
    timelines_.TakePod(*ParseJson(pod.dump(), "pod"), "");
  }

  Time now_ = kNow;
  NodeGroups groups_{Groups(), [] { return Duration{}; }, [](const std::string&) {}};
  bool is_known_ = true;
  NodeTimelines timelines_{{groups_,
                            [this](const PodOwner& owner) -> std::optional<PodsObject> {
                              const std::string& job = owner.labels.at("job");
                              if (job == "others" || !is_known_) return std::nullopt;
                              return PodsObject{job, 1, false};
                            },
                            [this] { return now_; }}};
};

TEST_F(NodeTimelinesTest, TheStartAndTheIdleTailAreOfWhatTheNodeRan) {
  Node("n");
  now_ += minutes{1};
  Pod("p", "n", "train");
  now_ += minutes{30};
  Pod("p", "n", "train", "Succeeded");
  const Time ended = now_;
  EXPECT_EQ(timelines_.NextOver(), kNow + minutes{1});
  const auto start = timelines_.TakeOver();
  ASSERT_EQ(start.size(), 1u);
  EXPECT_EQ(timelines_.NextOver(), ended + minutes{10});
  EXPECT_TRUE(start[0].is_start);
  EXPECT_EQ(start[0].wall, (Interval{kNow - minutes{4}, kNow + minutes{1}}));
  ASSERT_EQ(start[0].shares.size(), 1u);
  EXPECT_EQ(start[0].shares[0].object, "train");
  ASSERT_NE(timelines_.IdleAt("n", ended + minutes{9}), nullptr);
  EXPECT_EQ(timelines_.IdleAt("n", ended + minutes{10}), nullptr);
  EXPECT_EQ(timelines_.IdleAt("n", ended - minutes{1}), nullptr);
  now_ += minutes{10};
  const auto idle = timelines_.TakeOver();
  ASSERT_EQ(idle.size(), 1u);
  EXPECT_FALSE(idle[0].is_start);
  EXPECT_EQ(idle[0].wall, (Interval{ended, ended + minutes{10}}));
  EXPECT_TRUE(timelines_.TakeOver().empty());
}

TEST_F(NodeTimelinesTest, ObjectsShareByTheTimeThatTheirPodsWereThere) {
  Node("n");
  Pod("a", "n", "long");
  now_ += minutes{30};
  Pod("b", "n", "short");
  Pod("c", "n", "others");
  now_ += minutes{10};
  timelines_.DropPod("a");
  Pod("b", "n", "short", "Failed");
  const auto start = timelines_.TakeOver();
  ASSERT_EQ(start.size(), 1u);
  ASSERT_EQ(start[0].shares.size(), 2u);
  EXPECT_EQ(start[0].shares[0].object, "long");
  EXPECT_NEAR(start[0].shares[0].part, 0.8, 1e-9);
  EXPECT_NEAR(start[0].shares[1].part, 0.2, 1e-9);
}

TEST_F(NodeTimelinesTest, AnIdleStretchEndsWithTheNextPodAndWithTheNode) {
  Node("n");
  Pod("a", "n", "first");
  now_ += minutes{5};
  timelines_.DropPod("a");
  now_ += minutes{3};
  Pod("b", "n", "second");
  now_ += minutes{5};
  timelines_.DropNode("n");
  auto over = timelines_.TakeOver();
  ASSERT_EQ(over.size(), 2u) << "the start, once, and the time between the two";
  EXPECT_EQ(over[1].wall, (Interval{kNow + minutes{5}, kNow + minutes{8}}));
  EXPECT_EQ(over[1].shares[0].object, "first");
  now_ += minutes{70};
  timelines_.TakeOver();
  EXPECT_EQ(timelines_.remembered(), 0u);
}

TEST_F(NodeTimelinesTest, ANodeThatStoodForLongWasNotStartedForIt) {
  Node("n", minutes{60});
  Pod("a", "n", "train");
  now_ += minutes{5};
  timelines_.DropPod("a");
  now_ += minutes{10};
  const auto over = timelines_.TakeOver();
  ASSERT_EQ(over.size(), 1u);
  EXPECT_FALSE(over[0].is_start);
}

TEST_F(NodeTimelinesTest, WhatIsToldInAnotherOrderComesToTheSame) {
  is_known_ = false;
  Pod("a", "n", "train");
  Node("n");
  now_ += minutes{5};
  timelines_.TakeOver();
  is_known_ = true;
  now_ += minutes{5};
  timelines_.DropPod("a");
  now_ += minutes{10};
  const auto over = timelines_.TakeOver();
  ASSERT_EQ(over.size(), 2u);
  EXPECT_EQ(over[0].shares[0].object, "train");
}

}  // namespace
}  // namespace ebb::kubernetes
