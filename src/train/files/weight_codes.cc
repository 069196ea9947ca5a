#include "train/files/weight_codes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace ebb::train {
namespace {

// Smaller magnitudes count as zero, because the inverse of their scale would be infinite.
constexpr float kLeastMagnitude = 1e-30F;

float LargestMagnitude(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) return std::numeric_limits<float>::quiet_NaN();
    largest = std::max(largest, std::abs(value));
  }
  return largest < kLeastMagnitude ? 0 : largest;
}

float InverseOf(float scale) { return scale > 0 ? 1 / scale : 0; }

// The borders are half way between two levels.
constexpr std::array<float, 15> Borders() {
  std::array<float, 15> borders{};
  for (std::size_t i = 0; i < borders.size(); ++i)
    borders[i] = (kNf4Levels[i] + kNf4Levels[i + 1]) / 2;
  return borders;
}
constexpr std::array<float, 15> kBorders = Borders();

std::uint8_t NearestLevel(float value) {
  return static_cast<std::uint8_t>(std::lower_bound(kBorders.begin(), kBorders.end(), value) -
                                   kBorders.begin());
}

template <typename Number>
Number As(float value) {
  return static_cast<Number>(value);
}
// Rounds to the nearest, ties to even. Scales are finite here, so the values are finite.
template <>
Bf16 As(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return {static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16)};
}

// The two levels that a byte stands for.
using Pair = std::array<float, 2>;
constexpr std::array<Pair, 256> Pairs() {
  std::array<Pair, 256> pairs{};
  for (std::size_t byte = 0; byte < pairs.size(); ++byte)
    pairs[byte] = {kNf4Levels[byte >> 4], kNf4Levels[byte & 15]};
  return pairs;
}
constexpr std::array<Pair, 256> kPairs = Pairs();

}  // namespace

float EncodeInt8(std::span<const float> row, std::int8_t* codes) {
  const float scale = LargestMagnitude(row) / 127;
  const float inverse = InverseOf(scale);
  for (std::size_t i = 0; i < row.size(); ++i)
    codes[i] = scale > 0 ? static_cast<std::int8_t>(
                               std::clamp(std::nearbyint(row[i] * inverse), -127.0F, 127.0F))
                         : std::int8_t{0};
  return scale;
}

void EncodeNf4(std::span<const float> row, std::uint8_t* codes, float* scales) {
  for (std::size_t begin = 0; begin < row.size(); begin += kNf4Block) {
    const auto block = row.subspan(begin, std::min(kNf4Block, row.size() - begin));
    const float scale = LargestMagnitude(block);
    const float inverse = InverseOf(scale);
    const auto code = [&](std::size_t i) {
      return NearestLevel(i < block.size() && scale > 0 ? block[i] * inverse : 0);
    };
    scales[begin / kNf4Block] = scale;
    for (std::size_t i = 0; i < kNf4Block; i += 2)
      codes[(begin + i) / 2] = static_cast<std::uint8_t>(code(i) << 4 | code(i + 1));
  }
}

float EncodeScales(std::span<const float> scales, std::int8_t* codes, float* block_scales) {
  const double sum = std::accumulate(scales.begin(), scales.end(), 0.0);
  const auto mean =
      static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(1, scales.size())));
  std::array<float, kScaleBlock> differences;
  for (std::size_t begin = 0; begin < scales.size(); begin += kScaleBlock) {
    const std::size_t count = std::min(kScaleBlock, scales.size() - begin);
    for (std::size_t i = 0; i < count; ++i) differences[i] = scales[begin + i] - mean;
    block_scales[begin / kScaleBlock] =
        EncodeInt8(std::span(differences).first(count), codes + begin);
  }
  return mean;
}

// Rounding may take the least scales below zero.
void DecodeScales(const std::int8_t* codes, const float* block_scales, float mean,
                  std::size_t first, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t at = first + i;
    out[i] = std::max(0.0F, static_cast<float>(codes[at]) * block_scales[at / kScaleBlock] + mean);
  }
}

template <typename Number>
void DecodeInt8(const std::int8_t* codes, float scale, std::span<Number> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = As<Number>(static_cast<float>(codes[i]) * scale);
}

template <typename Number>
void DecodeNf4(const std::uint8_t* codes, const float* scales, std::span<Number> out) {
  for (std::size_t begin = 0; begin < out.size(); begin += kNf4Block) {
    const float scale = scales[begin / kNf4Block];
    const std::size_t end = std::min(begin + kNf4Block, out.size());
    std::size_t i = begin;
    for (; i + 1 < end; i += 2) {
      const Pair& pair = kPairs[codes[i / 2]];
      out[i] = As<Number>(pair[0] * scale);
      out[i + 1] = As<Number>(pair[1] * scale);
    }
    if (i < end) out[i] = As<Number>(kPairs[codes[i / 2]][0] * scale);
  }
}

template void DecodeInt8(const std::int8_t*, float, std::span<float>);
template void DecodeInt8(const std::int8_t*, float, std::span<double>);
template void DecodeInt8(const std::int8_t*, float, std::span<Bf16>);
template void DecodeNf4(const std::uint8_t*, const float*, std::span<float>);
template void DecodeNf4(const std::uint8_t*, const float*, std::span<double>);
template void DecodeNf4(const std::uint8_t*, const float*, std::span<Bf16>);

}  // namespace ebb::train
