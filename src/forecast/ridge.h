#pragma once
// Ridge regression of many outputs on the same inputs, from sums that are added up row by row.
// Plain loops in a fixed order give the same result with every compiler. Pure.

#include <cstddef>
#include <span>
#include <vector>

namespace ebb::forecast {

/// Sums over the rows of a regression: inputs times inputs, and inputs times outputs.
struct NormalEquations {
  NormalEquations(std::size_t input_count, std::size_t output_count);

  void AddRow(std::span<const double> inputs, std::span<const double> outputs);
  void AddScaled(const NormalEquations& other, double weight);

  std::size_t inputs, outputs;
  std::vector<double> gram;   ///< [inputs][inputs], lower triangle
  std::vector<double> cross;  ///< [inputs][outputs]
  double rows = 0;            ///< weighted number of rows
};

/// Weights [inputs][outputs] that minimise the squared error plus `penalty` times their squares;
/// `penalty` > 0 makes the solution exist and be unique.
std::vector<double> SolveRidge(NormalEquations sums, double penalty);

}  // namespace ebb::forecast
