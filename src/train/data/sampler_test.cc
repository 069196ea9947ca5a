#include "train/data/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "train/options/schedule.h"

namespace ebb::train {
namespace {

TEST(Sampler, AnEpochVisitsEverySampleOnce) {
  auto order = EpochPermutation({5, 2}, 1003);
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> expected(1003);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(order, expected);
}

TEST(Sampler, EpochsAndSeedsDiffer) {
  EXPECT_EQ(EpochPermutation({5, 2}, 100), EpochPermutation({5, 2}, 100));
  EXPECT_NE(EpochPermutation({5, 2}, 100), EpochPermutation({5, 3}, 100));
  EXPECT_NE(EpochPermutation({5, 2}, 100), EpochPermutation({6, 2}, 100));
}

TEST(BatchPlan, DropsNothingAtTheTail) {
  const auto order = EpochPermutation({1, 0}, 103);
  for (const std::size_t accumulation : {1U, 2U, 4U, 8U, 16U}) {
    const BatchPlan plan{103, 8, accumulation};
    std::vector<std::uint32_t> visited;
    for (std::size_t update = 0; update < plan.updates_per_epoch(); ++update) {
      for (const auto part : MicroBatches(plan.Update(order, update), plan.micro_batch)) {
        EXPECT_LE(part.size(), 8U);
        EXPECT_GE(part.size(), 1U);
        visited.insert(visited.end(), part.begin(), part.end());
      }
    }
    EXPECT_EQ(visited, order);
  }
}

TEST(BatchPlan, CountsTheShortLastUpdate) {
  EXPECT_EQ((BatchPlan{103, 8, 4}.updates_per_epoch()), 4U);
  EXPECT_EQ((BatchPlan{96, 8, 4}.updates_per_epoch()), 3U);
  EXPECT_EQ((BatchPlan{1, 8, 4}.updates_per_epoch()), 1U);
}

TEST(LearningRate, ConstantCosineAndStep) {
  LearningRateSchedule schedule{ScheduleKind::kConstant, 0.01, 0.5, 2};
  EXPECT_DOUBLE_EQ(schedule.At({99, 10, 100}), 0.01);
  schedule.kind = ScheduleKind::kCosine;
  EXPECT_DOUBLE_EQ(schedule.At({0, 10, 100}), 0.01);
  EXPECT_NEAR(schedule.At({50, 10, 100}), 0.005, 1e-12);
  EXPECT_NEAR(schedule.At({100, 10, 100}), 0, 1e-12);
  schedule.kind = ScheduleKind::kStep;
  EXPECT_DOUBLE_EQ(schedule.At({19, 10, 100}), 0.01);
  EXPECT_DOUBLE_EQ(schedule.At({20, 10, 100}), 0.005);
  EXPECT_DOUBLE_EQ(schedule.At({45, 10, 100}), 0.0025);
}

}  // namespace
}  // namespace ebb::train
