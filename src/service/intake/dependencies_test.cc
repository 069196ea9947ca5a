#include "service/intake/dependencies.h"

#include <gtest/gtest.h>

namespace ebb::service {
namespace {

TEST(Dependencies, TheLastSuccessLetsGo) {
  Dependencies dependencies;
  EXPECT_FALSE(dependencies.Add(9, {}));
  EXPECT_TRUE(dependencies.Add(3, {1, 2, 2}));
  EXPECT_TRUE(dependencies.TakeEnd(1, true).empty());
  EXPECT_EQ(dependencies.WaitsFor(3), (std::vector<core::JobId>{2}));
  const auto facts = dependencies.TakeEnd(2, true);
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(std::get<engine::JobControlled>(facts[0]).job, 3);
  EXPECT_EQ(std::get<engine::JobControlled>(facts[0]).control, engine::JobControl::kNone);
  EXPECT_TRUE(dependencies.WaitsFor(3).empty());
  EXPECT_TRUE(dependencies.TakeEnd(2, true).empty());
}

TEST(Dependencies, OneFailureCancelsAllThatWait) {
  Dependencies dependencies;
  dependencies.Add(3, {1, 2});
  dependencies.Add(4, {1});
  dependencies.Add(5, {3});
  const auto facts = dependencies.TakeEnd(1, false);
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(std::get<engine::JobCancelled>(facts[0]).job, 3);
  EXPECT_EQ(std::get<engine::JobCancelled>(facts[1]).job, 4);
  EXPECT_EQ(dependencies.WaitsFor(5), (std::vector<core::JobId>{3})) << "until 3 has ended";
  EXPECT_EQ(dependencies.TakeEnd(3, false).size(), 1u);
}

TEST(Dependencies, WhatWasDroppedIsLeftAlone) {
  Dependencies dependencies;
  dependencies.Add(3, {1});
  dependencies.Drop(3);
  EXPECT_TRUE(dependencies.TakeEnd(1, false).empty());
}

}  // namespace
}  // namespace ebb::service
