#pragma once
// Encodes weights in few bits and decodes them, one row {in} of a matrix at a time. Plain C++
// without LibTorch.
//
// int8: code x scale with one scale for each row, the largest magnitude / 127, and codes rounded to
// the nearest (Dettmers et al. 2022, LLM.int8(), without its outliers). NF4: level x scale with one
// scale for each block of 64, its largest magnitude, and the nearest of 16 levels, which are
// quantiles of the normal distribution (Dettmers et al. 2023, QLoRA, section 3 and appendix E). A
// byte holds two codes, the first in its upper half, as in bitsandbytes. A row's last block may be
// shorter; no block crosses rows. Scales are fp32, or have 8 bits (QLoRA, section 3, "Double
// Quantization"): the mean of all scales is subtracted, and the differences are encoded as int8
// with an fp32 scale for each 256 of them, in the order of rows. (The paper has 8-bit floats; steps
// of equal size are as near here.)
//
// A scale is NaN if a weight of its row or block is not finite.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ebb::train {

inline constexpr std::size_t kNf4Block = 64;
inline constexpr std::size_t kScaleBlock = 256;

/// The levels, ascending.
inline constexpr std::array<float, 16> kNf4Levels{-1.0F,
                                                  -0.6961928009986877F,
                                                  -0.5250730514526367F,
                                                  -0.39491748809814453F,
                                                  -0.28444138169288635F,
                                                  -0.18477343022823334F,
                                                  -0.09105003625154495F,
                                                  0.0F,
                                                  0.07958029955625534F,
                                                  0.16093020141124725F,
                                                  0.24611230194568634F,
                                                  0.33791524171829224F,
                                                  0.44070982933044434F,
                                                  0.5626170039176941F,
                                                  0.7229568362236023F,
                                                  1.0F};

constexpr std::size_t Nf4Blocks(std::size_t columns) {
  return (columns + kNf4Block - 1) / kNf4Block;
}
/// Counts whole blocks; zeros fill the last one up.
constexpr std::size_t Nf4RowBytes(std::size_t columns) {
  return Nf4Blocks(columns) * kNf4Block / 2;
}

constexpr std::size_t ScaleBlocks(std::size_t scales) {
  return (scales + kScaleBlock - 1) / kScaleBlock;
}

/// The bits of a bf16 number.
struct Bf16 {
  std::uint16_t bits;
};

/// Returns the scale; `codes` has one for each weight.
float EncodeInt8(std::span<const float> row, std::int8_t* codes);
/// `codes` has Nf4RowBytes, `scales` Nf4Blocks.
void EncodeNf4(std::span<const float> row, std::uint8_t* codes, float* scales);

/// Encodes scales of NF4 in 8 bits. `codes` has one for each scale, `block_scales` has ScaleBlocks.
/// Returns the mean. If a scale is not finite, no block scale is finite.
float EncodeScales(std::span<const float> scales, std::int8_t* codes, float* block_scales);
/// Decodes scales. `codes` and `block_scales` are those of all scales; `out` gets the scales from
/// `first` on.
void DecodeScales(const std::int8_t* codes, const float* block_scales, float mean,
                  std::size_t first, std::span<float> out);

/// Multiplies in fp32, then rounds to the type of `out`: float, double or Bf16.
template <typename Number>
void DecodeInt8(const std::int8_t* codes, float scale, std::span<Number> out);
/// `codes` and `scales` start at the beginning of a block.
template <typename Number>
void DecodeNf4(const std::uint8_t* codes, const float* scales, std::span<Number> out);

}  // namespace ebb::train
