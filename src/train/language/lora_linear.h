#pragma once
// One projection with its adapter: x W^T + bias + scaling * dropout(x) A^T B^T, as one
// differentiable operation. The graph keeps x and the product with A. The dropout is drawn again
// from its seed, so that a second forward pass (gradient checkpointing) gives the same. W and the
// bias are frozen.

#include <cstdint>

#include "train/language/adapter.h"
#include "train/libtorch.h"

namespace ebb::train {

struct LoraUse {
  double dropout = 0;
  std::uint64_t seed = 0;  ///< dropout seed of this projection in this micro-batch
};

/// x {..., in}; `pair` may be null.
torch::Tensor ApplyProjection(const torch::Tensor& x, const Linear& linear, const LoraPair* pair,
                              const LoraUse& use);

/// The norms of the rows of W + the pair's scaling * B A (DoRA's direction).
torch::Tensor RowNorms(const FrozenMatrix& weight, const LoraPair& pair);

}  // namespace ebb::train
