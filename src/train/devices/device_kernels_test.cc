// Runs the text of device_kernels.cuh on the CPU, thread by thread, against plain arithmetic.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "train/files/weight_codes.h"

namespace ebb::train {
namespace {

struct Place {
  unsigned x = 0;
};
Place blockIdx, blockDim, threadIdx;

float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }

#define __device__
#define __global__
#define __align__(bytes) alignas(bytes)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wconversion"
#include "train/devices/device_kernels.cuh"
#pragma GCC diagnostic pop
#undef __device__
#undef __global__
#undef __align__

// As a GPU does: whole blocks, so that some threads are beyond the end.
template <typename Kernel, typename... Arguments>
void Launch(const Kernel& kernel, unsigned long long count, Arguments... arguments) {
  blockDim.x = 4;
  for (blockIdx.x = 0; blockIdx.x * blockDim.x < count; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) kernel(arguments..., count);
}

std::vector<Eight> Drawn(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 2);
  std::vector<Eight> numbers(count);
  for (Eight& eight : numbers)
    for (Bf16Bits& bits : eight.bits) bits = Bf16Of(normal(random));
  return numbers;
}

// bf16 has eight bits of precision.
void ExpectRounded(Bf16Bits found, double wanted) {
  EXPECT_NEAR(static_cast<double>(FloatOf(found)), wanted, std::abs(wanted) * 0x1p-8 + 1e-30);
}

TEST(DeviceKernels, RoundAsBf16Does) {
  EXPECT_EQ(Bf16Of(1.0F), 0x3F80);
  EXPECT_EQ(Bf16Of(1.00390625F), 0x3F80) << "a tie goes to even";
  EXPECT_EQ(Bf16Of(1.01171875F), 0x3F82) << "a tie goes to even";
  EXPECT_EQ(Bf16Of(std::numeric_limits<float>::infinity()), 0x7F80);
  EXPECT_TRUE(std::isnan(FloatOf(Bf16Of(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(DeviceKernels, GatedSiluAndItsGradients) {
  constexpr std::size_t kCount = 7;
  const auto gate = Drawn(kCount, 1), up = Drawn(kCount, 2), gradient = Drawn(kCount, 3);
  std::vector<Eight> out(kCount), of_gate(kCount), of_up(kCount);
  Launch(ebb_gated_silu, kCount, gate.data(), up.data(), out.data());
  Launch(ebb_gated_silu_backward, kCount, gate.data(), up.data(), gradient.data(), of_gate.data(),
         of_up.data());
  for (std::size_t i = 0; i < kCount; ++i)
    for (int k = 0; k < 8; ++k) {
      const double g = FloatOf(gate[i].bits[k]), u = FloatOf(up[i].bits[k]),
                   y = FloatOf(gradient[i].bits[k]), sigmoid = 1 / (1 + std::exp(-g));
      ExpectRounded(out[i].bits[k], g * sigmoid * u);
      ExpectRounded(of_gate[i].bits[k], y * u * (sigmoid + g * sigmoid * (1 - sigmoid)));
      ExpectRounded(of_up[i].bits[k], y * g * sigmoid);
    }
}

TEST(DeviceKernels, Nf4HasTheBitsOfItsCodes) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> row(5 * kNf4Block);
  for (float& value : row) value = normal(random);
  std::vector<std::uint8_t> codes(Nf4RowBytes(row.size()));
  std::vector<float> scales(Nf4Blocks(row.size()));
  EncodeNf4(row, codes.data(), scales.data());
  std::vector<Bf16> wanted(row.size());
  DecodeNf4(codes.data(), scales.data(), std::span(wanted));
  std::vector<unsigned> words(codes.size() / 4);
  std::memcpy(words.data(), codes.data(), codes.size());
  std::vector<Eight> found(words.size());
  Launch(ebb_nf4_decode, words.size(), words.data(), scales.data(), found.data());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(found[i / 8].bits[i % 8], wanted[i].bits) << i;
}

}  // namespace
}  // namespace ebb::train
