#include "report/compare/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace ebb::report {
namespace {

TEST(Statistics, StudentQuantilesAgreeWithThePublishedTable) {
  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, upper 0.975.
  const std::pair<int, double> table[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},
                                          {5, 2.571},  {6, 2.447},  {7, 2.365},  {8, 2.306},
                                          {9, 2.262},  {10, 2.228}, {15, 2.131}, {20, 2.086},
                                          {29, 2.045}, {30, 2.042}, {60, 2.000}, {100, 1.984}};
  for (const auto& [freedom, quantile] : table)
    EXPECT_NEAR(StudentQuantile95(freedom), quantile, 6e-4) << freedom;
  EXPECT_NEAR(StudentQuantile95(1'000'000), 1.960, 2e-3);
}

TEST(Statistics, StudentProbabilitiesAgreeWithNumericalIntegration) {
  for (const int n : {1, 2, 3, 4, 7, 12}) {
    const double v = n;
    const double scale =
        std::exp(std::lgamma((v + 1) / 2) - std::lgamma(v / 2)) / std::sqrt(v * M_PI);
    double sum = 0;
    const double t = 1.7, step = 1e-4;
    for (double x = step / 2; x < t; x += step)
      sum += 2 * scale * std::pow(1 + x * x / v, -(v + 1) / 2) * step;
    EXPECT_NEAR(StudentWithin(t, n), sum, 1e-6) << n;
  }
}

TEST(Statistics, AMeanHasAnIntervalFromThreeValuesOn) {
  const double values[] = {1, 2, 3};
  EXPECT_FALSE(MeanOf(std::span(values, 2)).interval);
  const Estimate mean = MeanOf(values);
  EXPECT_EQ(mean.value, 2);
  EXPECT_NEAR(mean.high() - mean.value, 4.302653 / std::sqrt(3), 1e-5);
}

TEST(Statistics, WelchAgreesWithAWorkedExample) {
  // Variances 2.5 and 10, five values each: t has 5.88 degrees of freedom, rounded down to 5.
  const double a[] = {1, 2, 3, 4, 5}, b[] = {2, 4, 6, 8, 10};
  const Estimate difference = DifferenceOfMeans(a, b);
  EXPECT_EQ(difference.value, 3);
  EXPECT_NEAR(difference.high() - difference.value,
              StudentQuantile95(5) * std::sqrt(2.5 / 5 + 10.0 / 5), 1e-9);
}

using Columns = std::vector<std::vector<double>>;

// All 2 x 2 x 2 combinations, repeated.
struct Factorial {
  Columns columns{{}, {}, {}, {}};
  std::vector<double> response;
};
Factorial BalancedFactorial(int repetitions) {
  Factorial f;
  Random random(3);
  for (int r = 0; r < repetitions; ++r)
    for (int cell = 0; cell < 8; ++cell) {
      f.columns[0].push_back(1);
      for (int bit = 0; bit < 3; ++bit)
        f.columns[static_cast<std::size_t>(bit) + 1].push_back(cell >> bit & 1);
      f.response.push_back(10 + 3 * (cell & 1) - 2 * (cell >> 1 & 1) + random.Normal());
    }
  return f;
}

TEST(Statistics, EffectsOfABalancedFactorialAreDifferencesOfMeans) {
  const Factorial f = BalancedFactorial(3);
  const LeastSquares fit = FitLeastSquares(f.columns, f.response);
  for (std::size_t j = 1; j < 4; ++j) {
    double high = 0, low = 0;
    for (std::size_t i = 0; i < f.response.size(); ++i)
      (f.columns[j][i] > 0 ? high : low) += f.response[i] / 12;
    EXPECT_NEAR(fit.coefficients[j], high - low, 1e-12);
    EXPECT_TRUE(fit.estimable[j]);
  }
  EXPECT_EQ(fit.rank, 4);
  EXPECT_EQ(fit.degrees_of_freedom, 20);
  // Closed form: the standard error of a difference of two means of 12.
  double residual = 0;
  for (std::size_t i = 0; i < f.response.size(); ++i) {
    double fitted = 0;
    for (std::size_t j = 0; j < 4; ++j) fitted += fit.coefficients[j] * f.columns[j][i];
    residual += (f.response[i] - fitted) * (f.response[i] - fitted);
  }
  EXPECT_NEAR(fit.standard_errors[1], std::sqrt(residual / 20 * (2.0 / 12)), 1e-12);
}

TEST(Statistics, ALineAgreesWithItsClosedForm) {
  const std::vector<double> x{1, 2, 4, 7}, y{2, 3, 7, 11};
  const LeastSquares fit = FitLeastSquares({{1, 1, 1, 1}, x}, y);
  const double sxx = 6.25 + 2.25 + 0.25 + 12.25,
               sxy = -2.5 * -3.75 + -1.5 * -2.75 + 0.5 * 1.25 + 3.5 * 5.25;
  EXPECT_NEAR(fit.coefficients[1], sxy / sxx, 1e-12);
  double residual = 0;
  for (std::size_t i = 0; i < 4; ++i)
    residual += std::pow(y[i] - fit.coefficients[0] - fit.coefficients[1] * x[i], 2);
  EXPECT_NEAR(fit.standard_errors[1], std::sqrt(residual / 2 / sxx), 1e-12);
}

TEST(Statistics, WhatCannotBeToldApartIsMarkedAndTheRestIsStillEstimated) {
  // Columns 1 and 2 are the same; column 3 is free of them.
  const Columns columns{{1, 1, 1, 1}, {0, 1, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}};
  const std::vector<double> response{1, 3, 6, 8};
  const LeastSquares fit = FitLeastSquares(columns, response);
  EXPECT_FALSE(fit.estimable[1]);
  EXPECT_FALSE(fit.estimable[2]);
  EXPECT_TRUE(fit.estimable[3]);
  EXPECT_NEAR(fit.coefficients[3], 5, 1e-12);
  EXPECT_NEAR(fit.standard_errors[3], 0, 1e-12);
}

TEST(Statistics, NoDegreeOfFreedomMeansNoStandardError) {
  const LeastSquares fit = FitLeastSquares({{1, 1}, {0, 1}}, std::vector<double>{1, 2});
  EXPECT_EQ(fit.degrees_of_freedom, 0);
  EXPECT_TRUE(fit.standard_errors.empty());
}

}  // namespace
}  // namespace ebb::report
