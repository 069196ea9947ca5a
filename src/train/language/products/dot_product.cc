#include "train/language/products/dot_product.h"

#include <array>
#include <bit>
#include <cstddef>

#include "train/devices/vector_clones.h"

namespace ebb::train {
namespace {

// The number of sums side by side, several vectors of them, so that one addition need not wait for
// the one before.
constexpr std::size_t kSums = 64;

inline float Number(float weight) { return weight; }
inline float Number(std::int8_t weight) { return static_cast<float>(weight); }
inline float Number(Bf16 weight) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(weight.bits) << 16);
}

// The function is inlined, so that it is compiled for the instruction set of its caller.
template <typename Weight>
[[gnu::always_inline]] inline float Sum(std::span<const Weight> weights, const float* x) {
  std::array<float, kSums> sums{};
  std::size_t i = 0;
  for (; i + kSums <= weights.size(); i += kSums)
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += Number(weights[i + k]) * x[i + k];
  for (std::size_t half = kSums / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k) sums[k] += sums[k + half];
  float sum = sums[0];
  for (; i < weights.size(); ++i) sum += Number(weights[i]) * x[i];
  return sum;
}

}  // namespace

EBB_VECTOR_CLONES float DotProduct(std::span<const float> weights, const float* x) {
  return Sum(weights, x);
}
EBB_VECTOR_CLONES float DotProduct(std::span<const Bf16> weights, const float* x) {
  return Sum(weights, x);
}
EBB_VECTOR_CLONES float DotProduct(std::span<const std::int8_t> weights, const float* x) {
  return Sum(weights, x);
}

}  // namespace ebb::train
