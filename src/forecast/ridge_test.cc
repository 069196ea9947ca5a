#include "forecast/ridge.h"

#include <gtest/gtest.h>

namespace ebb::forecast {
namespace {

TEST(Ridge, FindsALinearMapFromItsOwnImages) {
  NormalEquations sums(3, 2);
  for (int i = 0; i < 30; ++i) {
    const double a = i % 5, b = i % 7, one = 1;
    sums.AddRow(std::vector{a, b, one}, std::vector{2 * a - b + 3, 0.5 * b});
  }
  const std::vector<double> weights = SolveRidge(sums, 1e-9);
  const std::vector<double> expected{2, 0, -1, 0.5, 3, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(weights[i], expected[i], 1e-6);
}

TEST(Ridge, OneInputHasTheKnownClosedForm) {
  NormalEquations sums(1, 1);
  sums.AddRow(std::vector{2.0}, std::vector{6.0});
  EXPECT_DOUBLE_EQ(SolveRidge(sums, 1)[0], 12.0 / 5);
}

TEST(Ridge, InputsThatRepeatEachOtherAreNoProblem) {
  NormalEquations sums(2, 1);
  for (int i = 1; i < 9; ++i) sums.AddRow(std::vector<double>(2, i), std::vector{4.0 * i});
  const std::vector<double> weights = SolveRidge(sums, 1e-6);
  EXPECT_NEAR(weights[0], 2, 1e-5);
  EXPECT_NEAR(weights[1], 2, 1e-5);
}

TEST(Ridge, SumsAddUpWithTheirWeight) {
  NormalEquations one(1, 1), other(1, 1);
  one.AddRow(std::vector{1.0}, std::vector{2.0});
  other.AddRow(std::vector{3.0}, std::vector{5.0});
  one.AddScaled(other, 0.5);
  EXPECT_DOUBLE_EQ(one.gram[0], 1 + 4.5);
  EXPECT_DOUBLE_EQ(one.cross[0], 2 + 7.5);
  EXPECT_DOUBLE_EQ(one.rows, 1.5);
}

}  // namespace
}  // namespace ebb::forecast
