#pragma once
// The projections that share an input (query, key and value; gate and up), each with its adapter:
// x W^T + bias + scaling * dropout(x) A^T B^T. All of a group are one differentiable operation with
// one dropout of the input and one product with all A together. The graph keeps x and that product.
// The dropout is drawn again from its seed, so that a second forward pass (gradient checkpointing)
// gives the same. W and the bias are frozen.

#include <cstdint>
#include <span>
#include <vector>

#include "train/language/adapter/adapter_weights.h"
#include "train/libtorch.h"

namespace ebb::train {

/// The most projections that share an input.
inline constexpr std::size_t kMaxGroup = 3;

struct AdaptedProjection {
  const Linear* linear = nullptr;
  const LoraPair* pair = nullptr;  ///< null: frozen without an adapter
};

struct LoraUse {
  double dropout = 0;
  std::uint64_t seed = 0;  ///< dropout seed of this input in this micro-batch
};

/// x {..., in}. Returns {..., out} of each projection, of which there are at most kMaxGroup.
/// `weights` are those of the projections' pairs, in their order; pairs with a magnitude (DoRA) do
/// not use them.
std::vector<torch::Tensor> ApplyProjections(const torch::Tensor& x,
                                            std::span<const AdaptedProjection> projections,
                                            const GroupWeights& weights, const LoraUse& use);

/// The norms of the rows of W + the pair's scaling * B A (DoRA's direction).
torch::Tensor RowNorms(const FrozenMatrix& weight, const LoraPair& pair);

}  // namespace ebb::train
