#include "train/language/products/dropout_kernel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "base/random.h"
#include "train/devices/vector_clones.h"

namespace ebb::train {
namespace {

constexpr std::size_t kNumbers = 512;
using Halves = std::array<std::uint32_t, 2 * kNumbers>;

}  // namespace

EBB_VECTOR_CLONES void DrawFactors(const DropoutDraw& draw, std::int64_t first,
                                   std::span<float> factors) {
  EBB_CHECK(first % 2 == 0);
  const double kept = 1 - draw.dropped;
  const auto below = static_cast<std::uint32_t>(std::min(std::ldexp(kept, 32), 0x1.0p32 - 1));
  const auto factor = static_cast<float>(1 / kept);
  Random random(draw.seed);
  random.Skip(static_cast<std::uint64_t>(first / 2));
  std::array<std::uint64_t, kNumbers> numbers;
  for (std::size_t begin = 0; begin < factors.size(); begin += 2 * kNumbers) {
    for (std::uint64_t& value : numbers) value = random.Next();
    const auto halves = std::bit_cast<Halves>(numbers);
    const std::size_t count = std::min(2 * kNumbers, factors.size() - begin);
    for (std::size_t i = 0; i < count; ++i) factors[begin + i] = halves[i] < below ? factor : 0.0F;
  }
}

}  // namespace ebb::train
