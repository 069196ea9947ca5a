#pragma once
// Cross-entropy of the next token over a large vocabulary, in chunks of tokens: the logits of all
// tokens are never in memory together. Because the output projection is frozen, the gradient of a
// chunk is computed while its logits are there, so the backward pass is one multiplication.
//
// With a teacher, a token's loss includes a part of the divergence from the teacher
// (train/learning/divergence.h).

#include <cstdint>

#include "train/libtorch.h"

namespace ebb::train {

struct TokenLoss {
  torch::Tensor sum;  ///< sum over tokens in nats, fp32 or fp64; differentiable in `hidden`
  /// int64: tokens whose most likely next token is the target; 0 if `hidden` requires a gradient.
  torch::Tensor correct;
};

/// The teacher's hidden states for the same tokens, without a graph.
struct TeacherStates {
  torch::Tensor hidden;  ///< {N, the teacher's width}
  torch::Tensor output;  ///< {the teacher's vocabulary, its width}
  double temperature = 1;
  double mix = 0;  ///< the teacher's share, 0 to 1
};

/// hidden {N, width}, output {vocabulary, width}, targets {N} int64 within the vocabulary.
TokenLoss ChunkedCrossEntropy(const torch::Tensor& hidden, const torch::Tensor& output,
                              const torch::Tensor& targets, const TeacherStates* teacher = nullptr);

}  // namespace ebb::train
