#pragma once
// The fused arithmetic of one Adam update over contiguous floats. Plain C++ without LibTorch, so
// that the compiler can make vector versions of it; every version gives the same bits (no
// contraction, IEEE division and root).

#include <cstddef>

namespace ebb::train {

struct AdamCoefficients {
  float beta1 = 0.9F;
  float one_minus_beta1 = 0.1F;
  float beta2 = 0.999F;
  float one_minus_beta2 = 0.001F;
  float epsilon = 1e-8F;
  float step_size = 0;              ///< learning rate / (1 - beta1^step)
  float bias_correction2_root = 1;  ///< sqrt(1 - beta2^step)
  float keep = 1;                   ///< 1 - learning rate x weight decay
};

struct AdamArrays {
  float* parameter = nullptr;
  float* exp_avg = nullptr;
  float* exp_avg_sq = nullptr;
  const float* gradient = nullptr;
};

/// Updates elements [begin, end).
void UpdateAdam(const AdamArrays& arrays, std::size_t begin, std::size_t end,
                const AdamCoefficients& coefficients);

}  // namespace ebb::train
