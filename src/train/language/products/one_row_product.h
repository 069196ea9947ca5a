#pragma once
// Products of one row with a frozen matrix on a CPU, as for each generated token. LibTorch's
// products are made for many rows; dot_product.h reads every weight once, in the form in which it
// is kept, as fast as the memory delivers it (docs/measured.md, Language models).

#include <cstdint>
#include <functional>

#include "train/libtorch.h"

namespace ebb::train {

/// True if x {..., in} is one row on a CPU, in a type whose sums may be fp32.
bool IsOneRow(const torch::Tensor& x);

/// Writes outputs [first, end), each a sum over all of x, to y[first ...].
using Sums = std::function<void(std::int64_t first, std::int64_t end, const float* x, float* y)>;

/// Returns {..., outputs} in the type of x, which must be one row. Uses all threads; without a
/// graph.
torch::Tensor ProductOfOneRow(const torch::Tensor& x, std::int64_t outputs, const Sums& sums);

/// True if the matrix {out, in} can be used with the function below.
bool HasRowsOfNumbers(const torch::Tensor& weight);
/// Returns x times the matrix transposed.
torch::Tensor ProductOfOneRow(const torch::Tensor& x, const torch::Tensor& weight);

}  // namespace ebb::train
