#include "forecast/ridge.h"

#include <cmath>

#include "base/check.h"

namespace ebb::forecast {
namespace {

// Replaces the lower triangle of a positive definite matrix by its Cholesky factor, in place.
void Factorise(std::vector<double>& matrix, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i * size + j];
      for (std::size_t k = 0; k < j; ++k) sum -= matrix[i * size + k] * matrix[j * size + k];
      matrix[i * size + j] = i == j ? std::sqrt(sum) : sum / matrix[j * size + j];
    }
  }
}

// Computes row[i] -= factor * row[k], for rows of `width` values.
void Subtract(std::vector<double>& rows, std::size_t width, std::size_t i, std::size_t k,
              double factor) {
  double* const target = rows.data() + i * width;
  const double* const source = rows.data() + k * width;
  for (std::size_t c = 0; c < width; ++c) target[c] -= factor * source[c];
}

void Divide(std::vector<double>& rows, std::size_t width, std::size_t i, double divisor) {
  for (std::size_t c = 0; c < width; ++c) rows[i * width + c] /= divisor;
}

}  // namespace

NormalEquations::NormalEquations(std::size_t input_count, std::size_t output_count)
    : inputs(input_count),
      outputs(output_count),
      gram(input_count * input_count),
      cross(input_count * output_count) {}

void NormalEquations::AddRow(std::span<const double> x, std::span<const double> y) {
  EBB_CHECK(x.size() == inputs && y.size() == outputs);
  for (std::size_t i = 0; i < inputs; ++i) {
    if (x[i] == 0) continue;
    for (std::size_t j = 0; j <= i; ++j) gram[i * inputs + j] += x[i] * x[j];
    double* const row = cross.data() + i * outputs;
    for (std::size_t c = 0; c < outputs; ++c) row[c] += x[i] * y[c];
  }
  rows += 1;
}

void NormalEquations::AddScaled(const NormalEquations& other, double weight) {
  EBB_CHECK(other.inputs == inputs && other.outputs == outputs);
  for (std::size_t i = 0; i < gram.size(); ++i) gram[i] += weight * other.gram[i];
  for (std::size_t i = 0; i < cross.size(); ++i) cross[i] += weight * other.cross[i];
  rows += weight * other.rows;
}

std::vector<double> SolveRidge(NormalEquations sums, double penalty) {
  EBB_CHECK(penalty > 0);
  const std::size_t size = sums.inputs, width = sums.outputs;
  for (std::size_t i = 0; i < size; ++i) sums.gram[i * size + i] += penalty;
  Factorise(sums.gram, size);
  std::vector<double>& solution = sums.cross;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k) Subtract(solution, width, i, k, sums.gram[i * size + k]);
    Divide(solution, width, i, sums.gram[i * size + i]);
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k)
      Subtract(solution, width, i, k, sums.gram[k * size + i]);
    Divide(solution, width, i, sums.gram[i * size + i]);
  }
  return std::move(sums.cross);
}

}  // namespace ebb::forecast
