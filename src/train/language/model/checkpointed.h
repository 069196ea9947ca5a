#pragma once
// Gradient checkpointing (Chen et al. 2016): a part of the model whose intermediates are not kept;
// the backward pass computes them again. The part must compute the same both times: its randomness
// comes from seeds.

#include <functional>

#include "train/libtorch.h"

namespace ebb::train {

using Segment = std::function<torch::Tensor(const torch::Tensor&)>;

/// Computes segment(x). `trained` is any tensor inside the segment that requires gradients. The
/// backward pass adds the gradients of such tensors to those that they have, as always.
torch::Tensor Checkpointed(Segment segment, const torch::Tensor& x, const torch::Tensor& trained);

}  // namespace ebb::train
