#pragma once
// The minimum of a row of numbers, for the loops over the steps of a plan.

#include <algorithm>
#include <cstddef>

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

}  // namespace ebb::plan
