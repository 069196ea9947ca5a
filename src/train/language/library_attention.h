#pragma once
// The attention of attention.h by LibTorch's scaled_dot_product_attention, which on a GPU is one
// kernel (FlashAttention-2, Dao 2023) and needs no memory for the weights. Grouped heads share keys
// without copies. Packed sequences and windows go to its kernel for variable lengths; where that
// kernel cannot be used (CPU, fp32), they are a mask.

#include <cstdint>

#include "train/libtorch.h"

namespace ebb::train {

/// True if this LibTorch has what is used here (2.5 and newer).
bool HasLibraryAttention();

/// Which positions each position may look at, besides being causal.
struct AttentionBounds {
  torch::Tensor starts;  ///< as in attention.h, with the window in it; undefined: 0
  /// Packed sequences: {sequences + 1} int32, where each begins in the flattened {B, T}; undefined:
  /// each row is one sequence.
  torch::Tensor sequence_ends;
  std::int64_t longest_sequence = 0;
  std::int64_t window = 0;  ///< tokens that a token sees, itself included; 0: all
};

/// Shapes as in attention.h; query, key and value have the same length, or there is one query.
torch::Tensor LibraryAttention(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, const AttentionBounds& bounds,
                               double divisor);

}  // namespace ebb::train
