#pragma once
// Products of one row with a frozen matrix on a CPU: a token that is generated. LibTorch's are made
// for many rows; dot_product.h reads every weight once, as it is kept, as fast as the memory gives
// it (docs/measured.md, Language models).

#include <cstdint>
#include <functional>

#include "train/libtorch.h"

namespace ebb::train {

/// Whether x {..., in} is one row on a CPU, in a type whose sums may be fp32.
bool IsOneRow(const torch::Tensor& x);

/// Writes outputs [first, end), each a sum over all of x, to y[first ...].
using Sums = std::function<void(std::int64_t first, std::int64_t end, const float* x, float* y)>;

/// {..., outputs} in the type of x, which is one row; on all threads, without a graph.
torch::Tensor ProductOfOneRow(const torch::Tensor& x, std::int64_t outputs, const Sums& sums);

/// Whether the matrix {out, in} can be one of those below.
bool HasRowsOfNumbers(const torch::Tensor& weight);
/// x times the matrix transposed.
torch::Tensor ProductOfOneRow(const torch::Tensor& x, const torch::Tensor& weight);

}  // namespace ebb::train
