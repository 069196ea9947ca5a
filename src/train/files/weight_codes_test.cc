#include "train/files/weight_codes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace ebb::train {
namespace {

std::vector<float> RandomRow(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> row(count);
  // Sums of uniform numbers are nearly normal, as weights are.
  for (float& value : row)
    value =
        static_cast<float>(random.Uniform(-1, 1) + random.Uniform(-1, 1) + random.Uniform(-1, 1));
  return row;
}

float LargestMagnitude(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// The number below which the standard normal distribution has the share `p`, by bisection.
double NormalQuantile(double p) {
  double low = -10, high = 10;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < p ? low : high) = middle;
  }
  return low;
}

// The levels are eight positive and seven negative quantiles, evenly between 0.5 and an offset, and
// zero; the largest becomes 1. The offset is half way between 1 - 1 / 30 and 1 - 1 / 32.
TEST(WeightCodes, TheLevelsOfNf4AreQuantilesOfTheNormalDistribution) {
  const double offset = (1 - 1.0 / 32 + 1 - 1.0 / 30) / 2;
  const double largest = NormalQuantile(offset);
  for (int i = 0; i < 8; ++i) {
    const double positive = NormalQuantile(0.5 + (offset - 0.5) * (i + 1) / 8) / largest;
    EXPECT_NEAR(kNf4Levels[static_cast<std::size_t>(8 + i)], positive, 2e-6) << i;
    if (i == 7) continue;
    const double negative = -NormalQuantile(0.5 + (offset - 0.5) * (i + 1) / 7) / largest;
    EXPECT_NEAR(kNf4Levels[static_cast<std::size_t>(6 - i)], negative, 2e-6) << i;
  }
  EXPECT_EQ(kNf4Levels[7], 0);
}

TEST(WeightCodes, Int8IsRightToHalfItsScale) {
  const std::vector<float> row = RandomRow(1000, 3);
  std::vector<std::int8_t> codes(row.size());
  const float scale = EncodeInt8(row, codes.data());
  EXPECT_FLOAT_EQ(scale, LargestMagnitude(row) / 127);
  std::vector<double> decoded(row.size());
  DecodeInt8(codes.data(), scale, std::span(decoded));
  for (std::size_t i = 0; i < row.size(); ++i)
    EXPECT_LE(std::abs(decoded[i] - row[i]), 0.5001 * scale) << i;
}

TEST(WeightCodes, Nf4IsTheNearestLevelOfItsBlock) {
  for (const std::size_t count : {1, 63, 64, 65, 1000}) {
    const std::vector<float> row = RandomRow(count, count);
    std::vector<std::uint8_t> codes(Nf4RowBytes(count));
    std::vector<float> scales(Nf4Blocks(count));
    EncodeNf4(row, codes.data(), scales.data());
    std::vector<double> decoded(count);
    DecodeNf4(codes.data(), scales.data(), std::span(decoded));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = i / 64 * 64;
      const double largest =
          LargestMagnitude(std::span(row).subspan(begin, std::min<std::size_t>(64, count - begin)));
      double nearest = std::numeric_limits<double>::infinity();
      for (const double level : kNf4Levels)
        nearest = std::min(nearest, std::abs(level * largest - row[i]));
      EXPECT_NEAR(std::abs(decoded[i] - row[i]), nearest, 1e-6 * largest) << i;
      // The bound is half of the widest gap, between -1 and the next level.
      EXPECT_LE(nearest, 0.152 * largest);
    }
  }
}

TEST(WeightCodes, TheFirstOfTwoNf4CodesIsInTheUpperHalf) {
  const std::vector<float> row = {1, -1, 0.5626170039176941F, 0};
  std::vector<std::uint8_t> codes(Nf4RowBytes(row.size()));
  float scale = 0;
  EncodeNf4(row, codes.data(), &scale);
  EXPECT_EQ(scale, 1);
  EXPECT_EQ(codes[0], 0xF0);
  EXPECT_EQ(codes[1], 0xD7);
}

// Expected values have eight bits of significand, ties to even, by arithmetic instead of bits.
TEST(WeightCodes, Bf16IsRoundedToTheNearest) {
  const std::vector<float> row = RandomRow(640, 9);
  std::vector<std::uint8_t> codes(Nf4RowBytes(row.size()));
  std::vector<float> scales(Nf4Blocks(row.size())), exact(row.size());
  EncodeNf4(row, codes.data(), scales.data());
  DecodeNf4(codes.data(), scales.data(), std::span(exact));
  std::vector<Bf16> rounded(row.size());
  DecodeNf4(codes.data(), scales.data(), std::span(rounded));
  for (std::size_t i = 0; i < row.size(); ++i) {
    int exponent = 0;
    const double significand = std::frexp(static_cast<double>(exact[i]), &exponent);
    const double expected = std::ldexp(std::nearbyint(std::ldexp(significand, 8)), exponent - 8);
    EXPECT_EQ(std::bit_cast<float>(std::uint32_t{rounded[i].bits} << 16), expected) << i;
  }
}

// Expected values by arithmetic in double: each scale is off by at most half a step of its 256.
TEST(WeightCodes, ScalesInEightBitsAreNearAndTheirMeanIsKept) {
  for (const std::size_t count : {1, 255, 256, 257, 1000}) {
    std::vector<float> scales = RandomRow(count, count);
    for (float& scale : scales) scale = 3 + std::abs(scale);
    std::vector<std::int8_t> codes(count);
    std::vector<float> of_blocks(ScaleBlocks(count)), decoded(count);
    const double mean = EncodeScales(scales, codes.data(), of_blocks.data());
    double sum = 0;
    for (const float scale : scales) sum += scale;
    EXPECT_NEAR(mean, sum / static_cast<double>(count), 1e-6);
    DecodeScales(codes.data(), of_blocks.data(), static_cast<float>(mean), 0, decoded);
    for (std::size_t i = 0; i < count; ++i) {
      double largest = 0;
      for (std::size_t j = i / 256 * 256; j < std::min(count, i / 256 * 256 + 256); ++j)
        largest = std::max(largest, std::abs(scales[j] - mean));
      EXPECT_LE(std::abs(decoded[i] - scales[i]), 0.5001 * largest / 127 + 1e-6) << i;
    }
    std::vector<float> part(count / 2);
    DecodeScales(codes.data(), of_blocks.data(), static_cast<float>(mean), count - part.size(),
                 part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(),
                           decoded.end() - static_cast<std::ptrdiff_t>(part.size())));
  }
}

TEST(WeightCodes, OneScaleThatIsNotFiniteMarksAll) {
  std::vector<float> scales(300, 1);
  scales[7] = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::int8_t> codes(scales.size());
  std::vector<float> of_blocks(2);
  EncodeScales(scales, codes.data(), of_blocks.data());
  EXPECT_TRUE(std::isnan(of_blocks[0]) && std::isnan(of_blocks[1]));
}

TEST(WeightCodes, ZerosStayZerosAndWhatIsNotFiniteIsMarked) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {0.0F, 1e-38F, kNaN, std::numeric_limits<float>::infinity()}) {
    const std::vector<float> row(70, value);
    std::vector<std::int8_t> codes(row.size());
    const float scale = EncodeInt8(row, codes.data());
    std::vector<std::uint8_t> nf4(Nf4RowBytes(row.size()));
    std::vector<float> scales(Nf4Blocks(row.size())), decoded(row.size());
    EncodeNf4(row, nf4.data(), scales.data());
    if (std::isfinite(value)) {
      EXPECT_EQ(scale, 0);
      DecodeNf4(nf4.data(), scales.data(), std::span(decoded));
      EXPECT_EQ(decoded, std::vector<float>(row.size(), 0));
    } else {
      EXPECT_TRUE(std::isnan(scale) && std::isnan(scales[0]) && std::isnan(scales[1]));
    }
  }
}

}  // namespace
}  // namespace ebb::train
