// Nodes that an autoscaler adds: what they count as, and what becomes of a job that is released for
// one. The test plays the autoscaler.

#include "kubernetes/nodes/node_group.h"

#include <gtest/gtest.h>

#include "kubernetes/cluster_world_for_test.h"

namespace ebb::kubernetes {
namespace {

using std::chrono::minutes;
constexpr const char* kNodes = "/api/v1/nodes";
constexpr const char* kPods = "/api/v1/pods";

NodeGroup Group(int most_nodes) {
  NodeGroup group;
  group.name = "h100";
  group.labels = {{"pool", "h100"}};
  group.gpu_model = "H100";
  group.gpus = 4;
  group.cores = 32;
  group.most_nodes = most_nodes;
  group.start_up = minutes{6};
  return group;
}

Json GroupNode(const std::string& name, int gpus = 4) {
  Json node = NodeObject(name, 32, gpus, "H100");
  node["metadata"]["labels"]["pool"] = "h100";
  return node;
}

class NodeGroupTest : public ClusterTest {
 protected:
  void Begin(NodeGroup group) {
    ClusterOptions options;
    options.node_groups = {std::move(group)};
    options.parse_autoscaler_status = [](const std::string& text, const std::string&) {
      return Result<std::vector<PublishedGroup>>(
          text.empty() ? std::vector<PublishedGroup>{}
                       : std::vector<PublishedGroup>{{.name = "h100", .stuck = text}});
    };
    world_.Begin(std::move(options));
  }
  // How many GPUs of the group's model there are, and are away.
  int Gpus() { return PoolOf("H100").count; }
  int Away() { return PoolOf("H100").away; }
  core::DevicePool PoolOf(const std::string& model) {
    for (const core::DevicePool& pool : executor().cluster().pools)
      if (pool.model == model) return pool;
    core::DevicePool none;
    none.count = -1;
    return none;
  }
  int NumberOf(const std::string& model) {
    const auto pools = executor().cluster().pools;
    for (std::size_t i = 0; i < pools.size(); ++i)
      if (pools[i].model == model) return static_cast<int>(i);
    return -1;
  }
  core::Job Submit(const std::string& name, int gpus,
                   std::map<std::string, std::string> annotations = {}) {
    Json job = JobObject(name, std::move(annotations), gpus);
    job["spec"]["template"]["spec"]["nodeSelector"] = {{kGpuModelLabel, "H100"}};
    server().Create(kJobs, job);
    return world_.Submitted();
  }
  std::string Annotation(const std::string& name, const char* key) {
    return server().Get(kJobs, name)["metadata"]["annotations"].value(key, "");
  }
  // A pod of the job, on that node.
  void Bind(const std::string& pod, const std::string& job, const std::string& node) {
    server().CreatePod(pod, job, 4, node);
  }
};

TEST_F(NodeGroupTest, NodesThatDoNotStandCountUpToTheLimit) {
  Begin(Group(3));
  EXPECT_EQ(Gpus(), 12);
  EXPECT_EQ(PoolOf("cpu").count, 64) << "no node with GPUs is added for cores";
  server().Create(kNodes, GroupNode("one"));
  world_.GoOnFor(Duration{200});
  EXPECT_EQ(Gpus(), 12) << "one of the three stands";
  Json starts = GroupNode("two");
  starts["status"]["conditions"][0]["status"] = "False";
  server().Create(kNodes, starts);
  server().Create(kNodes, GroupNode("three", 0));
  world_.GoOnFor(Duration{200});
  EXPECT_EQ(Gpus(), 12) << "one starts, and the driver of another has not told of its GPUs";
  server().Create(kNodes, GroupNode("four"));
  EXPECT_TRUE(world_.Until([&] { return Gpus() == 16; })) << "it stands, beyond the limit";
  server().Patch(kNodes, "two",
                 {{"status", {{"conditions", {{{"type", "Ready"}, {"status", "Unknown"}}}}}}});
  EXPECT_TRUE(world_.Until([&] { return Gpus() == 12; })) << "it is not heard of any more";
}

TEST_F(NodeGroupTest, WhatAnAutoscalerIsRemovingTakesItsPlaceUntilItIsGone) {
  Begin(Group(1));
  Json node = GroupNode("one");
  node["spec"]["taints"] = {{{"key", "ToBeDeletedByClusterAutoscaler"}, {"effect", "NoSchedule"}}};
  server().Create(kNodes, node);
  EXPECT_TRUE(world_.Until([&] { return Gpus() == 0; }));
  server().Delete(kNodes, "one");
  EXPECT_TRUE(world_.Until([&] { return Gpus() == 4; }));
}

TEST_F(NodeGroupTest, AJobIsReleasedThoughItsNodeDoesNotStandAndNeverMoreThanTheLimit) {
  Begin(Group(2));
  const int pool = NumberOf("H100");
  const core::Job first = Submit("first", 4, {{"ebb/duration", "1h"}});
  EXPECT_EQ(first.duration, minutes{66}) << "with the start-up of its node";
  ASSERT_TRUE(executor().Execute(engine::StartJob{first.id, 1, pool}));
  executor().reconciler().Note(first.id, {"running", "running", ""});
  EXPECT_TRUE(world_.Until([&] {
    return Annotation("first", "ebb/reason") ==
           "running; a node of group h100 has to start for it, about 6m";
  })) << Annotation("first", "ebb/reason");
  ASSERT_TRUE(executor().Execute(engine::StartJob{Submit("second", 4).id, 1, pool}));
  const Status third = executor().Execute(engine::StartJob{Submit("third", 4).id, 1, pool});
  ASSERT_FALSE(third);
  EXPECT_NE(third.error().what.find("no node has the 4 GPUs"), std::string::npos);
  const Status wide = executor().Execute(engine::StartJob{Submit("wide", 8).id, 1, pool});
  EXPECT_FALSE(wide) << "each of the nodes that come has four";
  server().Create(kNodes, GroupNode("one"));
  Bind("first-1", "first", "one");
  EXPECT_TRUE(world_.Until([&] { return Annotation("first", "ebb/reason") == "running"; }))
      << Annotation("first", "ebb/reason");
}

TEST_F(NodeGroupTest, StandingNodesAreTakenFirstAndDeadlinesAllowForAnother) {
  Begin(Group(2));
  server().Create(kNodes, NodeObject("standing", 32, 8, "H100"));
  EXPECT_TRUE(world_.Until([&] { return Gpus() == 16; }));
  const core::Job job = Submit(
      "train", 8, {{"ebb/duration", "1h"}, {"ebb/start-by", "12h"}, {"ebb/finish-by", "20h"}});
  EXPECT_EQ(job.duration, minutes{60});
  EXPECT_EQ(*job.start_by, job.submitted + minutes{12 * 60 - 6});
  EXPECT_EQ(*job.finish_by, job.submitted + minutes{20 * 60 - 6});
  ASSERT_TRUE(executor().Execute(engine::StartJob{job.id, 1, NumberOf("H100")}));
  executor().reconciler().Note(job.id, {"running", "running", ""});
  EXPECT_TRUE(world_.Until([&] { return Annotation("train", "ebb/reason") == "running"; }));
}

TEST_F(NodeGroupTest, AStartForWhichNoNodeComesHasFailedAndTheGroupIsLeftAlone) {
  NodeGroup group = Group(2);
  group.gives_up_after = Duration{300};
  Begin(group);
  const core::Job job = Submit("train", 4);
  ASSERT_TRUE(executor().Execute(engine::StartJob{job.id, 1, NumberOf("H100")}));
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kStartFailed));
  EXPECT_TRUE(executor().Observe()->front().machine_trouble) << "it is tried again for ever";
  EXPECT_TRUE(world_.Until([&] { return world_.IsSuspended("train"); }));
  EXPECT_EQ(Gpus(), 0);
  EXPECT_EQ(Away(), 8) << "what needs them waits for them";
  executor().reconciler().Note(job.id, {"waiting", "waiting: no device is free", ""});
  EXPECT_TRUE(world_.Until([&] {
    return Annotation("train", "ebb/reason") ==
           "waiting: no device is free; none of its pods found a node within 300ms";
  })) << Annotation("train", "ebb/reason");
  const std::string once =
      "waiting: the last start failed; none of its pods found a node within 300ms; must start by "
      "2026-11-26 06:51";
  executor().reconciler().Note(job.id, {"waiting", once, ""});
  const std::string uid = server().Get(kJobs, "train")["metadata"]["uid"];
  EXPECT_EQ(executor().reconciler().notes().Of(uid)->reason, once + " UTC")
      << "each reason once, times with their zone";
  server().Create(kNodes, GroupNode("late"));
  EXPECT_TRUE(world_.Until([&] { return Gpus() == 8; })) << "nodes come after all";
  ASSERT_TRUE(executor().Execute(engine::StartJob{job.id, 2, NumberOf("H100")}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
}

TEST_F(NodeGroupTest, AnotherControllerGoesOnWaitingForTheNode) {
  NodeGroup group = Group(1);
  Begin(group);
  const core::Job job = Submit("train", 4);
  ASSERT_TRUE(executor().Execute(engine::StartJob{job.id, 1, NumberOf("H100")}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  group.gives_up_after = Duration{300};
  Begin(group);
  world_.Submitted();
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kStartFailed));
  EXPECT_TRUE(world_.Until([&] { return world_.IsSuspended("train"); }));
}

TEST_F(NodeGroupTest, WhatTheAutoscalerSaysOfItsGroupCounts) {
  NodeGroup group = Group(2);
  group.autoscaler = Autoscaler::kClusterAutoscaler;
  const char* maps = "/api/v1/configmaps";
  const auto status = [&](const char* stuck) {
    return Json{{"metadata", {{"name", "cluster-autoscaler-status"}, {"namespace", "kube-system"}}},
                {"data", {{"status", stuck}}}};
  };
  server().Create(maps, status(""));
  Begin(group);
  EXPECT_EQ(Gpus(), 8);
  const core::Job job = Submit("train", 4);
  ASSERT_TRUE(executor().Execute(engine::StartJob{job.id, 1, NumberOf("H100")}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  server().Patch(maps, "cluster-autoscaler-status", {{"data", {{"status", "no quota"}}}});
  EXPECT_TRUE(world_.WaitFor(engine::JobPhase::kStartFailed));
  EXPECT_EQ(executor().Observe()->front().detail, "no node of group h100 comes: no quota");
  EXPECT_EQ(Gpus(), 0);
  EXPECT_EQ(Away(), 8);
  server().Patch(maps, "cluster-autoscaler-status", {{"data", {{"status", ""}}}});
  EXPECT_TRUE(world_.Until([&] { return Gpus() == 8; }));
}

TEST_F(NodeGroupTest, KarpenterPublishesLimitsOfItsPools) {
  NodeGroup group = Group(9);
  group.autoscaler = Autoscaler::kKarpenter;
  group.most_nodes.reset();
  const char* pools = "/apis/karpenter.sh/v1/nodepools";
  server().SetAnswer("/apis/karpenter.sh", {{"versions", {{{"version", "v1"}}}}});
  server().Create(pools, {{"metadata", {{"name", "h100"}}},
                          {"spec", {{"limits", {{"nvidia.com/gpu", "10"}, {"cpu", "1k"}}}}}});
  Begin(group);
  EXPECT_TRUE(world_.Until([&] { return Gpus() == 8; })) << "two nodes of four";
  server().Patch(pools, "h100", {{"spec", {{"limits", {{"nodes", 1}}}}}});
  EXPECT_TRUE(world_.Until([&] { return Gpus() == 4; }));
  server().Patch(pools, "h100",
                 {{"status",
                   {{"conditions",
                     {{{"type", "NodeRegistrationHealthy"},
                       {"status", "False"},
                       {"message", "wrong image"}}}}}}});
  EXPECT_TRUE(world_.Until([&] { return Away() == 4; }));
  server().Delete(pools, "h100");
  EXPECT_TRUE(world_.Until([&] { return Gpus() == 0 && Away() == 0; })) << "no limit is known";
}

TEST(NodeGroups, AreLeftAloneForLongerEachTime) {
  Duration now{};
  NodeGroups groups(
      {Group(1)}, [&] { return now; }, [](const std::string&) {});
  for (const minutes wait : {minutes{5}, minutes{10}, minutes{20}, minutes{30}, minutes{30}}) {
    groups.NeverCame(0, "no node has come");
    EXPECT_EQ(groups.WhyStuck(0), "no node has come");
    EXPECT_EQ(groups.NextDue(), now + wait);
    now += wait;
    groups.Tick();
    EXPECT_EQ(groups.WhyStuck(0), "");
  }
  groups.Came(0);
  groups.NeverCame(0, "no node has come");
  EXPECT_EQ(groups.NextDue(), now + minutes{5});
}

TEST(NodePools, AreReadAsKarpenterWritesThem) {
  const auto pool = ReadNodePool(*ParseJson(
      R"({"metadata": {"name": "a"}, "spec": {"limits": {"cpu": "96", "nodes": "3"},
          "disruption": {"consolidateAfter": "1h30m"}}})",
      "pool"));
  EXPECT_EQ(pool.name, "a");
  EXPECT_EQ(pool.most_nodes, 3);
  EXPECT_EQ(pool.most.at("cpu"), 96);
  EXPECT_EQ(pool.idle_tail, minutes{90});
  EXPECT_EQ(pool.stuck, "");
  const auto fixed = ReadNodePool(*ParseJson(
      R"({"metadata": {"name": "b"}, "spec": {"replicas": 2,
          "disruption": {"consolidateAfter": "Never"}}})",
      "pool"));
  EXPECT_EQ(fixed.most_nodes, 2);
  EXPECT_FALSE(fixed.idle_tail);
}

}  // namespace
}  // namespace ebb::kubernetes
