#pragma once
// The order in which an epoch visits its samples, and how they group into updates. A pure function
// of (seed, epoch), so a checkpoint stores a position, not a permutation.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ebb::train {

struct EpochSeed {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
};

/// A uniform permutation of 0..count-1 (Fisher-Yates).
std::vector<std::uint32_t> EpochPermutation(const EpochSeed& seed, std::size_t count);

/// The grouping of samples: an update takes micro_batch x accumulation samples, the last of an
/// epoch the remaining ones.
struct BatchPlan {
  std::size_t samples = 0;
  std::size_t micro_batch = 1;
  std::size_t accumulation = 1;

  std::size_t effective_batch() const { return micro_batch * accumulation; }
  std::size_t updates_per_epoch() const {
    return (samples + effective_batch() - 1) / effective_batch();
  }
  /// The samples of update `update` (0-based) of an epoch.
  std::span<const std::uint32_t> Update(std::span<const std::uint32_t> permutation,
                                        std::size_t update) const;
};

/// Cuts an update's samples into micro-batches of `micro_batch` samples; the last may be smaller.
std::vector<std::span<const std::uint32_t>> MicroBatches(std::span<const std::uint32_t> update,
                                                         std::size_t micro_batch);

}  // namespace ebb::train
