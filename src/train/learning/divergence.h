#pragma once
// Knowledge distillation (Hinton, Vinyals, Dean 2015, arXiv 1503.02531): the divergence of a
// student model from its teacher. A sample's or a token's loss is
//   (1 - mix) cross-entropy + mix temperature^2 KL(teacher || student),
// where both models' logits are divided by the temperature before the softmax. The factor keeps the
// size of the gradient the same whatever the temperature. Log-probabilities are logits, too.

#include "train/libtorch.h"

namespace ebb::train {

struct Divergence {
  torch::Tensor sum;       ///< temperature^2 KL summed over the rows, in nats
  torch::Tensor gradient;  ///< gradient of the sum with respect to the student's logits
};

/// Takes logits {N, classes}, without a graph. If the models differ in the number of classes, the
/// divergence is over the classes that both have.
Divergence DivergenceOf(const torch::Tensor& student, const torch::Tensor& teacher,
                        double temperature);

}  // namespace ebb::train
