#pragma once
// The minimum of a row of numbers, for the loops over the steps of a plan, and a row that gives its
// numbers one after the other, the lowest first.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace ebb::plan {

// The index of the lowest of costs[first, last), the first among equals. It keeps four minima at a
// time, because a single minimum makes each comparison wait for the one before.
inline std::size_t Lowest(const double* costs, std::size_t first, std::size_t last) {
  constexpr std::size_t kLanes = 4;
  double low[kLanes];
  std::fill(low, low + kLanes, costs[first]);
  std::size_t i = first;
  for (; i + kLanes <= last; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      low[lane] = std::min(low[lane], costs[i + lane]);
  for (; i < last; ++i) low[0] = std::min(low[0], costs[i]);
  const double lowest = *std::min_element(low, low + kLanes);
  for (i = first; costs[i] != lowest;) ++i;
  return i;
}

// A row from which the lowest number is taken again and again. It first compares the lowest of
// blocks of numbers. A few numbers are taken from a long row, so it is not sorted.
class RowToTakeFrom {
 public:
  static constexpr std::size_t kBlock = 16;
  /// Not a number of the row, or taken.
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  /// The row is `size` times kNone until data() is filled.
  void Reset(std::size_t size) {
    values_.assign((size + kBlock - 1) / kBlock * kBlock, kNone);
    blocks_.resize(values_.size() / kBlock);
  }
  double* data() { return values_.data(); }
  double operator[](std::size_t index) const { return values_[index]; }

  /// To be called when data() is filled.
  void FindBlocks() {
    for (std::size_t block = 0; block < blocks_.size(); ++block) FindBlock(block);
  }
  /// The index of the lowest number, the first among equals; that of a kNone if none is left. The
  /// row must not be empty.
  std::size_t Lowest() const {
    const std::size_t block = plan::Lowest(blocks_.data(), 0, blocks_.size());
    return plan::Lowest(values_.data(), block * kBlock, (block + 1) * kBlock);
  }
  void Take(std::size_t index) {
    values_[index] = kNone;
    FindBlock(index / kBlock);
  }
  void TakeFrom(std::size_t index) {
    std::fill(values_.begin() + static_cast<std::ptrdiff_t>(index), values_.end(), kNone);
    for (std::size_t block = index / kBlock; block < blocks_.size(); ++block) FindBlock(block);
  }

 private:
  void FindBlock(std::size_t block) {
    constexpr std::size_t kLanes = 4;
    const double* values = values_.data() + block * kBlock;
    double low[kLanes];
    std::copy(values, values + kLanes, low);
    for (std::size_t i = kLanes; i < kBlock; i += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        low[lane] = std::min(low[lane], values[i + lane]);
    blocks_[block] = *std::min_element(low, low + kLanes);
  }

  std::vector<double> values_, blocks_;
};

}  // namespace ebb::plan
