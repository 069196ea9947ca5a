#include "report/compare/statistics.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace ebb::report {
namespace {

constexpr int kLargestDegreesOfFreedom = 2000;  // the normal distribution to four digits

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Sum of squared deviations from the mean.
double Scatter(std::span<const double> values) {
  const double mean = Mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

// Variance of the mean.
double MeanVariance(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  return Scatter(values) / (count - 1) / count;
}

Eigen::MatrixXd ToMatrix(const std::vector<std::vector<double>>& columns) {
  if (columns.empty()) return {};
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(columns.front().size()),
                         static_cast<Eigen::Index>(columns.size()));
  for (Eigen::Index j = 0; j < matrix.cols(); ++j)
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
      matrix(i, j) = columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)];
  return matrix;
}

}  // namespace

double StudentWithin(double t, int degrees_of_freedom) {
  const int n = degrees_of_freedom;
  const double angle = std::atan(t / std::sqrt(static_cast<double>(n)));
  const double cosine_squared = std::cos(angle) * std::cos(angle);
  // Terms with even (n even) or odd (n odd) powers of the cosine.
  const bool odd = n % 2 == 1;
  double term = odd ? std::cos(angle) : 1;
  double sum = 0;
  for (int power = odd ? 1 : 0; power <= n - 2; power += 2) {
    sum += term;
    term *= cosine_squared * (power + 1) / (power + 2);
  }
  if (!odd) return std::sin(angle) * sum;
  return 2 / std::numbers::pi * (angle + std::sin(angle) * sum);
}

double StudentQuantile95(int degrees_of_freedom) {
  const int n = std::min(degrees_of_freedom, kLargestDegreesOfFreedom);
  double low = 0, high = 16;  // the largest result is 12.706, for one degree of freedom
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (StudentWithin(middle, n) < 0.95 ? low : high) = middle;
  }
  return (low + high) / 2;
}

Estimate MeanOf(std::span<const double> values) {
  Estimate estimate;
  estimate.count = static_cast<int>(values.size());
  if (values.empty()) return estimate;
  estimate.value = Mean(values);
  if (estimate.count >= kFewestForInterval)
    estimate.SetHalfWidth(StudentQuantile95(estimate.count - 1) * std::sqrt(MeanVariance(values)));
  return estimate;
}

Estimate DifferenceOfMeans(std::span<const double> a, std::span<const double> b) {
  Estimate estimate;
  estimate.count = static_cast<int>(std::min(a.size(), b.size()));
  if (estimate.count == 0) return estimate;
  estimate.value = Mean(b) - Mean(a);
  if (estimate.count < kFewestForInterval) return estimate;
  const double va = MeanVariance(a), vb = MeanVariance(b);
  if (va + vb == 0) {
    estimate.SetHalfWidth(0);
    return estimate;
  }
  const double freedom =
      (va + vb) * (va + vb) /
      (va * va / static_cast<double>(a.size() - 1) + vb * vb / static_cast<double>(b.size() - 1));
  estimate.SetHalfWidth(StudentQuantile95(std::max(1, static_cast<int>(std::min(freedom, 1e6)))) *
                        std::sqrt(va + vb));
  return estimate;
}

int Rank(const std::vector<std::vector<double>>& columns) {
  if (columns.empty()) return 0;
  return static_cast<int>(Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(ToMatrix(columns)).rank());
}

LeastSquares FitLeastSquares(const std::vector<std::vector<double>>& columns,
                             std::span<const double> response) {
  LeastSquares fit;
  if (columns.empty() || response.empty()) return fit;
  const Eigen::MatrixXd design = ToMatrix(columns);
  const Eigen::Map<const Eigen::VectorXd> y(response.data(),
                                            static_cast<Eigen::Index>(response.size()));
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(design);
  const Eigen::VectorXd solution = decomposition.solve(y);
  fit.coefficients.assign(solution.begin(), solution.end());
  fit.rank = static_cast<int>(decomposition.rank());
  fit.degrees_of_freedom = static_cast<int>(response.size()) - fit.rank;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    auto others = columns;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(j));
    fit.estimable.push_back(Rank(others) == fit.rank - 1);
  }
  if (fit.degrees_of_freedom <= 0) return fit;
  // (X^T X)^+ = X^+ (X^+)^T; for estimable coefficients its diagonal does not depend on the choice
  // of the generalised inverse.
  const Eigen::MatrixXd inverse = decomposition.pseudoInverse();
  const double variance = (y - design * solution).squaredNorm() / fit.degrees_of_freedom;
  for (Eigen::Index j = 0; j < inverse.rows(); ++j)
    fit.standard_errors.push_back(std::sqrt(variance * inverse.row(j).squaredNorm()));
  return fit;
}

}  // namespace ebb::report
