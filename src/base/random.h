#pragma once
// Seeded random numbers that give the same sequence on every compiler and platform: the standard
// library's distributions do not. Generator: SplitMix64 (Steele, Lea, Flood 2014, public domain
// reference by Vigna).

#include <cmath>
#include <cstdint>
#include <numbers>

namespace ebb {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  /// Skips `numbers` numbers, as that many calls of Next would.
  constexpr void Skip(std::uint64_t numbers) { state_ += numbers * kStep; }
  constexpr std::uint64_t Next() {
    state_ += kStep;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1).
  constexpr double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }
  /// Uniform in [0, count); count > 0. The bias is below count / 2^64.
  constexpr std::uint64_t Below(std::uint64_t count) { return Next() % count; }
  /// Standard normal by Box-Muller (one of the pair; simple and stateless).
  double Normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * Uniform());
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  std::uint64_t state_;
};

/// A seed for item `index` of a stream: neighbouring items are independent, and any item can be
/// drawn alone.
constexpr std::uint64_t SeedFor(std::uint64_t seed, std::uint64_t index) {
  Random mix(seed ^ (index * 0xd1342543de82ef95ULL));
  mix.Next();
  return mix.Next();
}

}  // namespace ebb
