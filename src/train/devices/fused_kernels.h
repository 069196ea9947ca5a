#pragma once
// Operations that are one kernel of Ebb on a GPU (device_kernels.cuh) where LibTorch has a chain of
// them, each writing its intermediates. Callers ask first; where the answer is no, they compute the
// same by LibTorch's operations.

#include "train/libtorch.h"

namespace ebb::train {

/// True for bf16 on a GPU that has the kernels, in whole groups of eight numbers.
bool HasFusedKernels(const torch::Tensor& like);

/// silu(gate) * up.
torch::Tensor FusedGatedSilu(const torch::Tensor& gate, const torch::Tensor& up);

/// Gradients of silu(gate) * up.
struct GatedGradients {
  torch::Tensor gate;
  torch::Tensor up;
};
GatedGradients FusedGatedSiluBackward(const torch::Tensor& gate, const torch::Tensor& up,
                                      const torch::Tensor& gradient);

/// NF4 codes {blocks, 32} (weight_codes.h) and fp32 scales {blocks, 1} -> {blocks, 64} in bf16,
/// multiplied in fp32 and rounded once. Undefined if the GPU has no kernels.
torch::Tensor FusedNf4Decode(const torch::Tensor& codes, const torch::Tensor& scales);

}  // namespace ebb::train
