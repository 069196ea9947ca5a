#include "core/ledger/work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::core {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(Work, EnergyAndEmissionsAreDividedByEachCountTheFinestFirst) {
  const auto uses =
      UsePerUnit({.tokens = 2'000'000, .steps = 100}, Energy::Joules(8000), Emissions{0.5});
  ASSERT_THAT(uses, SizeIs(2));
  EXPECT_EQ(uses[0].unit, WorkUnit::kToken);
  EXPECT_DOUBLE_EQ(uses[0].joules, 0.004);
  EXPECT_DOUBLE_EQ(*uses[0].grams, 2.5e-7);
  EXPECT_EQ(uses[1].unit, WorkUnit::kStep);
  EXPECT_DOUBLE_EQ(uses[1].joules, 80);
}

TEST(Work, WhatIsUnknownIsAbsentAndNeverZero) {
  EXPECT_THAT(UsePerUnit({}, Energy::Joules(1), Emissions{1}), IsEmpty());
  EXPECT_THAT(UsePerUnit({.tokens = 0}, Energy::Joules(1), Emissions{1}), IsEmpty());
  EXPECT_THAT(UsePerUnit({.tokens = 5}, Energy{}, std::nullopt), IsEmpty());
  const auto uses = UsePerUnit({.samples = 5}, Energy::Joules(1), std::nullopt);
  ASSERT_THAT(uses, SizeIs(1));
  EXPECT_FALSE(uses[0].grams);
}

TEST(Work, TheFurthestCountsOfARunAreKept) {
  const Work furthest = Furthest({.tokens = 7, .steps = 3}, {.samples = 2, .steps = 1});
  EXPECT_EQ(furthest, (Work{.tokens = 7, .samples = 2, .steps = 3}));
}

TEST(Work, IsWrittenInUnitsThatPeopleCanRead) {
  EXPECT_EQ(EnergyPerText(WorkUnit::kToken, 0.00412), "4.12 mJ/token");
  EXPECT_EQ(EnergyPerText(UsePerUnit({.samples = 2}, Energy::Joules(5), {})), "2.50 J/sample");
  EXPECT_EQ(EnergyPerText({}), "");
  EXPECT_EQ(EmissionsPerText(WorkUnit::kToken, 3.43e-7), "343 mg per million tokens");
  EXPECT_EQ(EmissionsPerText(WorkUnit::kSample, 1.2e-3), "1.20 g per 1,000 samples");
  EXPECT_EQ(EmissionsPerText(WorkUnit::kStep, 0.5), "500 g per 1,000 steps");
  EXPECT_EQ(CountText(WorkUnit::kToken, 1'234'567), "1,234,567 tokens");
  EXPECT_EQ(CountText(WorkUnit::kStep, 1), "1 step");
}

}  // namespace
}  // namespace ebb::core
