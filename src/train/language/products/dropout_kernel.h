#pragma once
// Draws the elements that dropout keeps. Plain C++ without LibTorch, so that the compiler can make
// vector versions of it: LibTorch's generator for the CPU draws one number after the other, which
// took a fifth of a fine-tuning's time.
//
// Element i uses half of a number of SplitMix64 (base/random.h): the lower half of number i / 2 if
// i is even, else its upper half. So any thread can draw any element alone.

#include <cstdint>
#include <span>

namespace ebb::train {

struct DropoutDraw {
  std::uint64_t seed = 0;
  double dropped = 0;  ///< dropped share of elements, in (0, 1)
};

/// Writes the factors of the elements from `first` on: 1 / (1 - dropped), or 0. `first` is even.
void DrawFactors(const DropoutDraw& draw, std::int64_t first, std::span<float> factors);

}  // namespace ebb::train
