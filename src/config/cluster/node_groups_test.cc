#include "config/cluster/node_groups.h"

#include <gtest/gtest.h>

namespace ebb::config {
namespace {

using kubernetes::Autoscaler;
using std::chrono::minutes;

TEST(NodeGroups, AreReadFromAFile) {
  const auto groups = ParseNodeGroups(R"(
node_groups:
  - name: a100-spot
    autoscaler: cluster-autoscaler
    labels: {cloud.google.com/gke-nodepool: a100-spot}
    gpu_model: NVIDIA-A100-SXM4-80GB
    taints: [spot]
    gpus: 8
    cores: 96
    most_nodes: 4
    start_up: 6m
    idle_tail: 12m
    idle_power: 900
    gives_up_after: 20m
  - {name: h100, autoscaler: karpenter, gpus: 8}
)",
                                      "g.yaml");
  ASSERT_TRUE(groups) << groups.error().Message();
  ASSERT_EQ(groups->size(), 2u);
  const auto& first = groups->front();
  EXPECT_EQ(first.name, "a100-spot");
  EXPECT_EQ(first.autoscaler, Autoscaler::kClusterAutoscaler);
  EXPECT_EQ(first.labels.at("cloud.google.com/gke-nodepool"), "a100-spot");
  EXPECT_EQ(first.taints, std::vector<std::string>{"spot"});
  EXPECT_EQ(first.gpus, 8);
  EXPECT_EQ(first.most_nodes, 4);
  EXPECT_EQ(first.start_up, minutes{6});
  EXPECT_EQ(first.idle_tail, minutes{12});
  EXPECT_EQ(first.idle_power, Power{900});
  EXPECT_EQ(first.gives_up_after, minutes{20});
  EXPECT_EQ(groups->back().labels.at("karpenter.sh/nodepool"), "h100");
  EXPECT_FALSE(groups->back().most_nodes) << "Karpenter publishes it";
  EXPECT_TRUE(LoadNodeGroups("")->empty());
}

TEST(NodeGroups, WhatIsWrongIsSaidWithItsLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "node_groups is missing"},
      {"node_groups: []", "g.yaml:1"},
      {"node_groups: [{gpus: 8}]", "g.yaml:1: a node group needs a name"},
      {"node_groups: [{name: a, gpus: 8, most_nodes: 1}]", "node group a needs labels"},
      {"node_groups: [{name: a, labels: 8, gpus: 8, most_nodes: 1}]",
       "labels needs labels of the group's nodes"},
      {"node_groups: [{name: a, labels: {b: c}, most_nodes: 1}]",
       "node group a needs gpus or cores"},
      {"node_groups: [{name: a, labels: {b: c}, gpus: 8}]", "node group a needs most_nodes"},
      {"node_groups: [{name: a, labels: {b: c}, gpus: 8, most_nodes: -1}]", "g.yaml:1: most_nodes"},
      {"node_groups: [{name: a, lables: {b: c}, gpus: 8, most_nodes: 1}]", "\"lables\""},
      {"node_groups: [{name: a, autoscaler: mine, labels: {b: c}, gpus: 8}]", "autoscaler"},
      {"node_groups:\n- &a {name: a, labels: {b: c}, gpus: 8, most_nodes: 1}\n- *a",
       "node group a is given twice"}};
  for (const auto& [text, said] : cases) {
    const auto groups = ParseNodeGroups(text, "g.yaml");
    ASSERT_FALSE(groups) << text;
    EXPECT_NE(groups.error().Message().find(said), std::string::npos)
        << text << ": " << groups.error().Message();
  }
}

TEST(NodeGroups, TheStatusOfTheClusterAutoscalerIsRead) {
  const auto published = ParseAutoscalerStatus(R"(time: 2026-10-02 14:29:22.999645779 +0000 UTC
autoscalerStatus: Running
clusterWide:
  scaleUp: {status: InProgress}
nodeGroups:
- name: https://www.example.com/zones/b/instanceGroups/gke-lab-a100-grp
  health:
    status: Healthy
    nodeCounts: {registered: {total: 1, ready: 1, notStarted: 0}}
    cloudProviderTarget: 1
    minSize: 0
    maxSize: 3
  scaleUp: {status: NoActivity, backoffInfo: {}}
- name: h100
  health: {status: Healthy, cloudProviderTarget: 0, minSize: 0, maxSize: 8}
  scaleUp:
    status: Backoff
    backoffInfo: {errorCode: QUOTA_EXCEEDED, errorMessage: "no GPUs left in the region"}
)",
                                               "status");
  ASSERT_TRUE(published) << published.error().Message();
  ASSERT_EQ(published->size(), 2u);
  EXPECT_EQ(published->front().most_nodes, 3);
  EXPECT_EQ(published->front().stuck, "");
  EXPECT_EQ(published->back().most_nodes, 8);
  EXPECT_EQ(published->back().stuck,
            "the Cluster Autoscaler backs off: QUOTA_EXCEEDED: no GPUs left in the region");
}

TEST(NodeGroups, AnOlderStatusIsNoStatus) {
  for (const std::string text :
       {"Cluster-autoscaler status at 2023-11-24 04:28:19 +0000 UTC:\nCluster-wide:\n  Health: "
        "Healthy (ready=7)\n",
        "", "[", "a: b", "- a"}) {
    const auto published = ParseAutoscalerStatus(text, "status");
    ASSERT_FALSE(published) << text;
    EXPECT_NE(published.error().Message().find("1.30"), std::string::npos);
  }
}

}  // namespace
}  // namespace ebb::config
