#pragma once
// Sums of products of a row of weights with numbers, for products with one row, which a language
// model computes for each token that it generates. Each weight is read once, so the speed of the
// memory decides, and the weights are used in the form in which they are kept. Plain C++ without
// LibTorch, so that the compiler can make vector versions of it.
//
// All arithmetic is in fp32. The order of a sum depends only on the number of its terms.

#include <cstdint>
#include <span>

#include "train/files/weight_codes.h"

namespace ebb::train {

/// The sum of weights[i] * x[i]; `x` has at least as many numbers. The sum for int8 is without the
/// row's scale.
float DotProduct(std::span<const float> weights, const float* x);
float DotProduct(std::span<const Bf16> weights, const float* x);
float DotProduct(std::span<const std::int8_t> weights, const float* x);

}  // namespace ebb::train
