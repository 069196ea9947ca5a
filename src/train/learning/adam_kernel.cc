#include "train/learning/adam_kernel.h"

#include <cmath>

#include "train/devices/vector_clones.h"

namespace ebb::train {

EBB_VECTOR_CLONES void UpdateAdam(const AdamArrays& arrays, std::size_t begin, std::size_t end,
                                  const AdamCoefficients& c) {
  float* __restrict parameter = arrays.parameter;
  float* __restrict exp_avg = arrays.exp_avg;
  float* __restrict exp_avg_sq = arrays.exp_avg_sq;
  const float* __restrict gradient = arrays.gradient;
  for (std::size_t i = begin; i < end; ++i) {
    const float g = gradient[i];
    const float mean = exp_avg[i] * c.beta1 + g * c.one_minus_beta1;
    const float square = exp_avg_sq[i] * c.beta2 + c.one_minus_beta2 * g * g;
    const float denominator = std::sqrt(square) / c.bias_correction2_root + c.epsilon;
    exp_avg[i] = mean;
    exp_avg_sq[i] = square;
    parameter[i] = parameter[i] * c.keep - c.step_size * mean / denominator;
  }
}

}  // namespace ebb::train
