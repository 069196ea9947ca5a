#pragma once
// A data set that the program draws itself, so that a demo needs no download: ten digits as
// strokes, each distorted by rotation, scale, shear, shift, bent control points, pen width, blur of
// the pen's edge, and noise.
//
// Image `index` depends on nothing but (seed, split, index): any of them can be drawn alone, and
// the test split has seeds of its own. Classes are balanced: the label of item i is i mod 10.

#include <array>
#include <cstdint>

#include "train/data/dataset.h"

namespace ebb::train {

inline constexpr ImageShape kDigitShape{28, 28};
using DigitImage = std::array<std::uint8_t, 28 * 28>;

enum class Split { kTrain, kTest };

struct DigitSource {
  std::uint64_t seed = 1;
  Split split = Split::kTrain;
};

std::uint8_t DigitLabel(std::uint64_t index);
DigitImage DrawDigit(const DigitSource& source, std::uint64_t index);
Dataset DrawDigits(const DigitSource& source, std::size_t count);

}  // namespace ebb::train
