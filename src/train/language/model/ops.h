#pragma once
// The parts of a decoder layer whose weights are frozen, as differentiable operations. Each has one
// backward formula and keeps only what the formula needs (the graph that LibTorch would record by
// itself keeps every intermediate). Whatever the type of the input, the arithmetic inside is at
// least fp32. Differentiable once.

#include "train/language/model/compute_paths.h"
#include "train/language/model/model_config.h"
#include "train/libtorch.h"

namespace ebb::train {

/// x / root mean square over the last dimension, times the weight (Zhang and Sennrich 2019). A
/// weight in the type of the inner arithmetic is multiplied there; a weight of the input's type is
/// multiplied after rounding; LibTorch's own kernel (kFused, from 2.8 on) multiplies before it
/// rounds.
torch::Tensor RmsNorm(const torch::Tensor& x, const torch::Tensor& weight, double epsilon,
                      Kernels kernels = Kernels::kPlain);

/// Cosine and sine of each position's angles: {T, head_size / 2}, or {B, T, head_size / 2}; fp32 or
/// fp64.
struct RotaryTable {
  torch::Tensor cosine;
  torch::Tensor sine;
};

/// Rotates the pairs (i, i + head_size / 2) of x {B, T, heads, head_size}; returns {B, heads, T,
/// head_size}, a view of memory in the order of x.
torch::Tensor Rotate(const torch::Tensor& x, const RotaryTable& table);

/// activation(gate) * up (Shazeer 2020).
torch::Tensor Gated(const torch::Tensor& gate, const torch::Tensor& up, Activation activation,
                    Kernels kernels = Kernels::kPlain);

}  // namespace ebb::train
