#include "train/language/products/dropout_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace ebb::train {
namespace {

std::vector<float> Drawn(const DropoutDraw& draw, std::int64_t first, std::size_t count) {
  std::vector<float> factors(count);
  DrawFactors(draw, first, factors);
  return factors;
}

// The distance of a share from the expected one, in standard deviations.
double Deviations(double found, double expected, std::size_t count) {
  return (found - expected) / std::sqrt(expected * (1 - expected) / static_cast<double>(count));
}

TEST(DropoutKernel, ElementsAreHalvesOfTheNumbersOfTheGenerator) {
  const DropoutDraw draw{77, 0.3};
  const std::vector<float> factors = Drawn(draw, 0, 3001);
  Random random(draw.seed);
  for (std::size_t i = 0; i < factors.size(); i += 2) {
    const std::uint64_t number = random.Next();
    const auto factor = [](std::uint64_t half) {
      return static_cast<double>(half) < std::floor(0.7 * 0x1.0p32) ? 1 / 0.7F : 0.0F;
    };
    EXPECT_EQ(factors[i], factor(number & 0xFFFFFFFFU)) << i;
    if (i + 1 == factors.size()) break;
    EXPECT_EQ(factors[i + 1], factor(number >> 32)) << i;
  }
}

TEST(DropoutKernel, PartsAreThoseOfTheWhole) {
  const DropoutDraw draw{5, 0.1};
  const std::vector<float> whole = Drawn(draw, 0, 5000);
  for (const std::int64_t first : {0, 2, 1022, 1024, 3998}) {
    const std::vector<float> part = Drawn(draw, first, 1001);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + first)) << first;
  }
  EXPECT_NE(Drawn({6, 0.1}, 0, 5000), whole);
}

TEST(DropoutKernel, AsManyAreDroppedAsWasAskedFor) {
  constexpr std::size_t kCount = 1 << 20;
  for (const double dropped : {0.05, 0.1, 0.5, 0.95}) {
    const std::vector<float> factors = Drawn({9, dropped}, 0, kCount);
    std::size_t zeros = 0, neighbours = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      if (factors[i] != 0) continue;
      ++zeros;
      // Neighbours are the two halves of a number, or halves of two successive numbers.
      if (i > 0 && factors[i - 1] == 0) ++neighbours;
    }
    const auto share = [](std::size_t count) { return static_cast<double>(count) / kCount; };
    EXPECT_LT(std::abs(Deviations(share(zeros), dropped, kCount)), 4) << dropped;
    EXPECT_LT(std::abs(Deviations(share(neighbours), dropped * dropped, kCount)), 6) << dropped;
  }
}

}  // namespace
}  // namespace ebb::train
