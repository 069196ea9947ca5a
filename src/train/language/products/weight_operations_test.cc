// Tests the codes by LibTorch's operations against those of weight_codes.h: the same bits.

#include "train/language/products/weight_operations.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "train/files/weight_codes.h"

namespace ebb::train {
namespace {

using torch::Tensor;

// Ordinary rows, a row of zeros, one of tiny numbers, and ties between two levels. The last block
// of a row is short.
Tensor Values() {
  torch::manual_seed(4);
  Tensor values = torch::randn({6, 150});
  values[1].zero_();
  values[2].mul_(1e-35);
  values[3][0] = 1;
  values[3][1] = (kNf4Levels[3] + kNf4Levels[4]) / 2;
  values[4].mul_(1e20);
  return values;
}

std::span<const float> Row(const Tensor& values, std::int64_t row) {
  return {values[row].data_ptr<float>(), static_cast<std::size_t>(values.size(1))};
}

TEST(WeightOperations, Nf4HasTheBitsOfItsCodes) {
  const Tensor values = Values();
  const WeightTensors found = EncodeByOperations(values, BaseWeights::kNf4);
  const Tensor decoded = DecodeByOperations(found, BaseWeights::kNf4, 150, torch::kFloat32);
  for (std::int64_t row = 0; row < values.size(0); ++row) {
    std::vector<std::uint8_t> codes(Nf4RowBytes(150));
    std::vector<float> scales(Nf4Blocks(150)), numbers(150);
    EncodeNf4(Row(values, row), codes.data(), scales.data());
    DecodeNf4(codes.data(), scales.data(), std::span(numbers));
    EXPECT_TRUE(torch::equal(found.codes[row], torch::tensor(codes, torch::kUInt8))) << row;
    EXPECT_TRUE(torch::equal(found.scales[row], torch::tensor(scales))) << row;
    EXPECT_TRUE(torch::equal(decoded[row], torch::tensor(numbers))) << row;
  }
}

TEST(WeightOperations, Int8HasTheBitsOfItsCodes) {
  const Tensor values = Values();
  const WeightTensors found = EncodeByOperations(values, BaseWeights::kInt8);
  for (const torch::ScalarType type : {torch::kFloat32, torch::kBFloat16}) {
    const Tensor decoded = DecodeByOperations(found, BaseWeights::kInt8, 150, type);
    for (std::int64_t row = 0; row < values.size(0); ++row) {
      std::vector<std::int8_t> codes(150);
      std::vector<float> numbers(150);
      const float scale = EncodeInt8(Row(values, row), codes.data());
      DecodeInt8(codes.data(), scale, std::span(numbers));
      EXPECT_TRUE(torch::equal(found.codes[row], torch::tensor(codes, torch::kInt8))) << row;
      EXPECT_EQ(found.scales[row].item<float>(), scale) << row;
      EXPECT_TRUE(torch::equal(decoded[row], torch::tensor(numbers).to(type))) << row;
    }
  }
}

TEST(WeightOperations, AWeightThatIsNotFiniteMakesItsScaleNaN) {
  Tensor values = Values();
  values[0][70] = std::numeric_limits<float>::infinity();
  values[5][10] = std::numeric_limits<float>::quiet_NaN();
  const Tensor nf4 = EncodeByOperations(values, BaseWeights::kNf4).scales;
  EXPECT_TRUE(nf4[0][1].isnan().item<bool>());
  EXPECT_TRUE(nf4[5][0].isnan().item<bool>());
  EXPECT_EQ(nf4.isnan().sum().item<std::int64_t>(), 2);
  EXPECT_EQ(
      EncodeByOperations(values, BaseWeights::kInt8).scales.isnan().sum().item<std::int64_t>(), 2);
}

TEST(WeightOperations, ScalesInEightBitsHaveTheBitsOfTheirCodes) {
  const Tensor scales = torch::rand({7, 90});
  Tensor codes = torch::empty({7, 90}, torch::kInt8);
  Tensor of_blocks = torch::empty({static_cast<std::int64_t>(ScaleBlocks(630))});
  const float mean = EncodeScales({scales.data_ptr<float>(), 630}, codes.data_ptr<std::int8_t>(),
                                  of_blocks.data_ptr<float>());
  std::vector<float> wanted(3 * 90);
  DecodeScales(codes.data_ptr<std::int8_t>(), of_blocks.data_ptr<float>(), mean, 2 * 90, wanted);
  EXPECT_TRUE(torch::equal(DecodeScalesByOperations(codes.narrow(0, 2, 3), 2 * 90, of_blocks, mean),
                           torch::tensor(wanted).view({3, 90})));
}

}  // namespace
}  // namespace ebb::train
