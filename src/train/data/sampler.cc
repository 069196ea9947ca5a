#include "train/data/sampler.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/random.h"

namespace ebb::train {

std::vector<std::uint32_t> EpochPermutation(const EpochSeed& seed, std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  Random random(SeedFor(seed.seed, seed.epoch));
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  return order;
}

std::span<const std::uint32_t> BatchPlan::Update(std::span<const std::uint32_t> permutation,
                                                 std::size_t update) const {
  const std::size_t begin = update * effective_batch();
  return permutation.subspan(begin, std::min(effective_batch(), permutation.size() - begin));
}

std::vector<std::span<const std::uint32_t>> MicroBatches(std::span<const std::uint32_t> update,
                                                         std::size_t micro_batch) {
  std::vector<std::span<const std::uint32_t>> parts;
  for (std::size_t begin = 0; begin < update.size(); begin += micro_batch)
    parts.push_back(update.subspan(begin, std::min(micro_batch, update.size() - begin)));
  return parts;
}

}  // namespace ebb::train
