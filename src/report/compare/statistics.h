#pragma once
// The statistics of small samples that a comparison needs: means and differences with Student-t
// intervals, and ordinary least squares. 95 % confidence throughout; an interval needs at least
// three values.
//
// Student's t for whole degrees of freedom by its finite series (Abramowitz and Stegun 1964, 26.7.3
// and 26.7.4), inverted by bisection.

#include <optional>
#include <span>
#include <vector>

namespace ebb::report {

struct Bounds {
  double low = 0, high = 0;
};

/// A mean of `count` values, or a difference from `count` of them, with its 95 % interval if there
/// are enough values.
struct Estimate {
  double value = 0;
  int count = 0;
  std::optional<Bounds> interval;
  double low() const { return interval ? interval->low : value; }
  double high() const { return interval ? interval->high : value; }
  void SetHalfWidth(double half_width) { interval = {value - half_width, value + half_width}; }
};

inline constexpr int kFewestForInterval = 3;

/// P(|T| <= t) for Student's t with `degrees_of_freedom` >= 1.
double StudentWithin(double t, int degrees_of_freedom);
/// The t with P(|T| <= t) = 0.95.
double StudentQuantile95(int degrees_of_freedom);

Estimate MeanOf(std::span<const double> values);
/// Mean of b minus mean of a, for values that are not paired (Welch 1947, degrees of freedom after
/// Satterthwaite rounded down).
Estimate DifferenceOfMeans(std::span<const double> a, std::span<const double> b);

/// Least squares of `response` on `columns` (each as long as the response). Columns may depend on
/// each other: coefficients that the data determine are estimated, the others are marked.
struct LeastSquares {
  std::vector<double> coefficients;
  std::vector<bool> estimable;          ///< per column: the data determine this coefficient
  std::vector<double> standard_errors;  ///< empty when no degree of freedom is left
  int rank = 0;
  int degrees_of_freedom = 0;
};
LeastSquares FitLeastSquares(const std::vector<std::vector<double>>& columns,
                             std::span<const double> response);
int Rank(const std::vector<std::vector<double>>& columns);

}  // namespace ebb::report
