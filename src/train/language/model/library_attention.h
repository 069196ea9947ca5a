#pragma once
// The attention of attention.h by LibTorch. On a GPU in 16 bits that is one kernel
// (FlashAttention-2, Dao 2023), which needs no memory for the weights, takes grouped heads, packed
// sequences and windows as they are, and gives the same bits each time. Elsewhere it is
// scaled_dot_product_attention, where packed sequences and windows are a mask.

#include <cstdint>

#include "train/libtorch.h"

namespace ebb::train {

/// True if this LibTorch has what is used here (2.5 and newer).
bool HasLibraryAttention();

/// Which positions each position may look at, besides being causal.
struct AttentionBounds {
  torch::Tensor starts;        ///< as in attention.h, with the window in it; undefined: 0
  bool has_sequences = false;  ///< `starts` are of several sequences in a row, or of padding before
  /// {sequences + 1} int32, where each sequence begins in the flattened {B, T}; undefined: unknown,
  /// or each row is one sequence.
  torch::Tensor sequence_ends;
  std::int64_t longest_sequence = 0;
  std::int64_t window = 0;  ///< tokens that a token sees, itself included; 0: all
};

/// True if LibraryAttention takes these: one query behind a cache; or as many as keys, on a GPU
/// only if its kernel's backward pass repeats its bits.
bool FitsLibraryAttention(const torch::Tensor& query, const torch::Tensor& key,
                          const AttentionBounds& bounds);

/// Shapes as in attention.h; they fit.
torch::Tensor LibraryAttention(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, const AttentionBounds& bounds,
                               double divisor);

}  // namespace ebb::train
