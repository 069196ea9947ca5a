#include "train/learning/divergence.h"

#include <algorithm>

namespace ebb::train {

Divergence DivergenceOf(const torch::Tensor& student, const torch::Tensor& teacher,
                        double temperature) {
  const std::int64_t shared = std::min(student.size(1), teacher.size(1));
  const torch::Tensor wanted = torch::log_softmax(teacher.narrow(1, 0, shared) / temperature, 1);
  const torch::Tensor found = torch::log_softmax(student.narrow(1, 0, shared) / temperature, 1);
  const torch::Tensor probabilities = wanted.exp();
  Divergence divergence;
  divergence.sum = (probabilities * (wanted - found)).sum() * (temperature * temperature);
  divergence.gradient = torch::zeros_like(student);
  divergence.gradient.narrow(1, 0, shared).copy_(found.exp().sub_(probabilities).mul_(temperature));
  return divergence;
}

}  // namespace ebb::train
