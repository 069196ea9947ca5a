#pragma once
// Weights in few bits, and back, one row {in} of a matrix at a time. Plain C++ without LibTorch.
//
// int8: code x scale with one scale for each row, the largest magnitude / 127, and codes rounded to
// the nearest (Dettmers et al. 2022, LLM.int8(), without its outliers).
// NF4: level x scale with one scale for each block of 64, its largest magnitude, and the nearest of
// 16 levels, which are quantiles of the normal distribution (Dettmers et al. 2023, QLoRA, section 3
// and appendix E). Two codes are in a byte, the first in its upper half, as bitsandbytes has them.
// A row's last block may be shorter; no block crosses rows. Scales are fp32, or in 8 bits (QLoRA,
// section 3, "Double Quantization"): less the mean of all, as int8 with an fp32 scale for each 256
// of them, in the order of rows. (The paper has 8-bit floats; steps of equal size are as near
// here.)
//
// A scale is NaN if a weight of its row or block is not finite.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ebb::train {

inline constexpr std::size_t kNf4Block = 64;
inline constexpr std::size_t kScaleBlock = 256;

/// Ascending.
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
/// Whole blocks, the last one filled up with zeros.
constexpr std::size_t Nf4RowBytes(std::size_t columns) {
  return Nf4Blocks(columns) * kNf4Block / 2;
}

constexpr std::size_t ScaleBlocks(std::size_t scales) {
  return (scales + kScaleBlock - 1) / kScaleBlock;
}

/// A bf16 number, as its bits.
struct Bf16 {
  std::uint16_t bits;
};

/// Returns the scale; `codes` has one for each weight.
float EncodeInt8(std::span<const float> row, std::int8_t* codes);
/// `codes` has Nf4RowBytes, `scales` Nf4Blocks.
void EncodeNf4(std::span<const float> row, std::uint8_t* codes, float* scales);

/// Scales of NF4 in 8 bits, which have `codes` one each and `block_scales` ScaleBlocks. Returns the
/// mean. Where one is not finite, no block scale is.
float EncodeScales(std::span<const float> scales, std::int8_t* codes, float* block_scales);
/// All scales with their codes and block scales, of which `out` gets those from `first` on.
void DecodeScales(const std::int8_t* codes, const float* block_scales, float mean,
                  std::size_t first, std::span<float> out);

/// The products are fp32, then rounded to the type of `out`: float, double or Bf16.
template <typename Number>
void DecodeInt8(const std::int8_t* codes, float scale, std::span<Number> out);
/// Codes and scales from the beginning of a block on.
template <typename Number>
void DecodeNf4(const std::uint8_t* codes, const float* scales, std::span<Number> out);

}  // namespace ebb::train
