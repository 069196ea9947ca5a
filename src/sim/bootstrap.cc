#include "sim/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "base/random.h"

namespace ebb::sim {

double Percentile(std::vector<double> values, double share) {
  EBB_CHECK(!values.empty());
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::min(index, values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

std::optional<Estimate> BootstrapEstimate(std::size_t count, const Statistic& statistic,
                                          std::uint64_t seed, int samples) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  const auto value = statistic(indices);
  if (!value) return std::nullopt;
  Estimate estimate{*value, std::nullopt, std::nullopt};
  if (count < kFewestForBootstrap || samples < 1) return estimate;
  Random random(seed);
  std::vector<double> draws;
  for (int sample = 0; sample < samples; ++sample) {
    for (std::size_t& index : indices) index = random.Below(count);
    if (const auto drawn = statistic(indices)) draws.push_back(*drawn);
  }
  if (draws.empty()) return estimate;
  estimate.low = Percentile(draws, 0.025);
  estimate.high = Percentile(std::move(draws), 0.975);
  return estimate;
}

}  // namespace ebb::sim
