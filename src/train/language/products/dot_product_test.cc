#include "train/language/products/dot_product.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace ebb::train {
namespace {

// Whole numbers of at most seven bits, which every type has.
template <typename Weight>
Weight As(std::int8_t number) {
  return static_cast<Weight>(number);
}
template <>
Bf16 As(std::int8_t number) {
  return {
      static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(number)) >> 16)};
}

// Compares with the sum of products in fp64, relative to the sum of their magnitudes.
template <typename Weight>
void ExpectSums() {
  Random random(7);
  for (const std::size_t size : {0, 1, 63, 64, 65, 130, 896, 4864}) {
    std::vector<Weight> weights;
    std::vector<float> x;
    double sum = 0, magnitudes = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto number = static_cast<std::int8_t>(static_cast<int>(random.Below(255)) - 127);
      weights.push_back(As<Weight>(number));
      x.push_back(static_cast<float>(random.Normal()));
      sum += number * static_cast<double>(x.back());
      magnitudes += std::abs(number * static_cast<double>(x.back()));
    }
    EXPECT_NEAR(DotProduct(std::span<const Weight>(weights), x.data()), sum, 1e-6 * magnitudes);
  }
}

TEST(DotProduct, IsTheSumOfTheProducts) {
  ExpectSums<float>();
  ExpectSums<Bf16>();
  ExpectSums<std::int8_t>();
}

}  // namespace
}  // namespace ebb::train
