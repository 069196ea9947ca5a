#include "kubernetes/nodes/node_fit.h"

#include <gtest/gtest.h>

namespace ebb::kubernetes {
namespace {

PodRequests Pods(std::vector<PodShape> shapes) {
  PodRequests one, all;
  for (const PodShape& shape : shapes) {
    one = {};
    one.gpus = shape.gpus * shape.pods;
    one.shapes = {shape};
    AddRequests(one, all);
  }
  return all;
}

class NodeFitTest : public ::testing::Test {
 protected:
  std::string WhyNot(const std::vector<PodShape>& shapes) {
    return fit_.Look(Pods(shapes), 2, Duration{}).why_not;
  }
  NodeFit::Rooms rooms_{{4, 16, "A100", true}, {4, 32, "A100", true}, {2, 8, "A100", true}};
  std::set<core::JobId> bound_;
  NodeFit fit_{[this](const PodRequests&, int) { return rooms_; },
               [this](core::JobId job) { return bound_.contains(job); }};
};

TEST_F(NodeFitTest, EachPodNeedsANodeThatHasAllItAsksFor) {
  EXPECT_EQ(WhyNot({{4, 0, "", 2}}), "");
  EXPECT_EQ(WhyNot({{5, 0, "", 1}}), "no node has the 5 GPUs free that each of its pods needs");
  EXPECT_EQ(WhyNot({{1, 0, "", 10}}), "");
  EXPECT_EQ(WhyNot({{1, 20, "", 2}}),
            "no node has the 1 GPU and 20 cores free that each of its pods needs");
  EXPECT_EQ(WhyNot({{0, 20, "", 1}}), "");
  EXPECT_EQ(WhyNot({{0, 33, "", 1}}), "no node has the 33 cores free that each of its pods needs");
  EXPECT_EQ(WhyNot({{0, 12, "", 4}}), "no node has the 12 cores free that each of its pods needs")
      << "56 cores are free";
}

TEST_F(NodeFitTest, PodsOfUnlikeSizesArePlacedTogether) {
  EXPECT_EQ(WhyNot({{4, 1, "", 1}, {3, 1, "", 1}, {2, 1, "", 1}, {1, 1, "", 1}}), "");
  EXPECT_EQ(WhyNot({{4, 1, "", 1}, {3, 1, "", 2}}),
            "no node has the 3 GPUs and 1 core free that one of its pods needs")
      << "ten GPUs are free";
}

TEST_F(NodeFitTest, APodThatNamesAModelNeedsANodeOfIt) {
  rooms_.push_back({8, 64, "H100", false});
  EXPECT_EQ(WhyNot({{8, 0, "H100", 1}, {4, 0, "", 2}}), "");
  EXPECT_EQ(WhyNot({{8, 0, "", 1}}), "no node has the 8 GPUs free that each of its pods needs")
      << "it was given others";
  EXPECT_EQ(WhyNot({{1, 0, "A100", 1}, {1, 0, "B200", 1}}),
            "no node has the 1 GPU (B200) free that one of its pods needs");
}

TEST_F(NodeFitTest, WhatWasReleasedAMomentAgoHasItsPlace) {
  fit_.Released(1, Pods({{4, 0, "", 1}}), 2, Duration{});
  fit_.Released(2, Pods({{1, 0, "", 1}}), 2, Duration{});
  EXPECT_NE(WhyNot({{4, 0, "", 2}}), "");
  EXPECT_EQ(WhyNot({{4, 0, "", 1}}), "");
  bound_ = {1, 2};
  EXPECT_EQ(WhyNot({{4, 0, "", 2}}), "") << "its pods are counted on their nodes";
  fit_.Released(3, Pods({{4, 0, "", 2}}), 2, Duration{});
  EXPECT_NE(WhyNot({{4, 0, "", 1}}), "");
  EXPECT_EQ(fit_.Look(Pods({{4, 0, "", 1}}), 2, std::chrono::minutes{1}).why_not, "");
}

TEST_F(NodeFitTest, WhatDoesNotRunAnyMoreKeepsNoPlace) {
  fit_.Released(1, Pods({{4, 0, "", 2}}), 2, Duration{});
  EXPECT_NE(WhyNot({{4, 0, "", 1}}), "");
  fit_.Forget(1);
  EXPECT_EQ(WhyNot({{4, 0, "", 2}}), "");
}

}  // namespace
}  // namespace ebb::kubernetes
