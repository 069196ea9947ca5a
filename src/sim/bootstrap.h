#pragma once
// Percentile bootstrap over start dates (Efron 1979): how far a figure would move if other start
// dates had been drawn. Seeded and drawn with integer arithmetic, so every build gives the same
// interval. Pure.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace ebb::sim {

/// A figure with its 95 % interval, if there are enough start dates for one.
struct Estimate {
  double value = 0;
  std::optional<double> low, high;
};

inline constexpr std::size_t kFewestForBootstrap = 5;

/// A figure of the start dates with these indices (drawn with replacement). Returns nothing if the
/// figure is not defined, e.g. a ratio to 0.
using Statistic = std::function<std::optional<double>(std::span<const std::size_t> indices)>;

/// `statistic` over all of 0..count-1 with its interval from `samples` draws.
std::optional<Estimate> BootstrapEstimate(std::size_t count, const Statistic& statistic,
                                          std::uint64_t seed, int samples);

/// The value below which `share` of the sorted values lie, by the nearest rank; values not empty.
double Percentile(std::vector<double> values, double share);

}  // namespace ebb::sim
