#pragma once
// Causal attention with grouped queries (Ainslie et al. 2023) in memory that grows with the length,
// not with its square. Query rows are taken block by block, a block sees only the keys up to its
// last row, and the backward pass computes the weights of a block again (Rabe and Staats 2021; Dao
// et al. 2022). Padding on the right needs no mask, because no earlier token looks there.

#include <cstdint>

#include "train/libtorch.h"

namespace ebb::train {

/// query {B, heads, Tq, D}, key and value {B, key_value_heads, Tk, D}; the queries are the last Tq
/// of the Tk positions. `starts` {B, Tk} int64 is the first position that each position may look at
/// (packed sequences); undefined: 0. Scores are divided by the root of `divisor`; 0: of D. Returns
/// {B, Tq, heads, D}.
torch::Tensor CausalAttention(const torch::Tensor& query, const torch::Tensor& key,
                              const torch::Tensor& value, const torch::Tensor& starts = {},
                              double divisor = 0);

}  // namespace ebb::train
