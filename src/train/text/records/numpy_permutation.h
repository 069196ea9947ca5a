#pragma once
// The permutations that numpy.random.default_rng(seed) draws (PCG64, O'Neill 2014, seeded by
// SeedSequence), because datasets.train_test_split divides by them: the same seed gives the same
// examples for training and validation. Pure.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ebb::train {

/// default_rng(seed).permutation(count); count < 2^32.
std::vector<std::uint32_t> NumpyPermutation(std::uint64_t seed, std::size_t count);

}  // namespace ebb::train
