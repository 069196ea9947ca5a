#pragma once
// What a model that learns has to say otherwise to say what its teacher says (knowledge
// distillation, Hinton, Vinyals, Dean 2015, arXiv 1503.02531). A sample's or a token's loss is
//   (1 - mix) cross-entropy + mix temperature^2 KL(teacher || student),
// where both models' logits are divided by the temperature before the softmax. The factor keeps the
// size of the gradient the same whatever the temperature. Log-probabilities are logits, too.

#include "train/libtorch.h"

namespace ebb::train {

struct Divergence {
  torch::Tensor sum;       ///< of temperature^2 KL over the rows, in nats
  torch::Tensor gradient;  ///< of the sum, with respect to the student's logits
};

/// Logits {N, classes}, without a graph. Where the classes differ in number, the divergence is that
/// over those that both have.
Divergence DivergenceOf(const torch::Tensor& student, const torch::Tensor& teacher,
                        double temperature);

}  // namespace ebb::train
