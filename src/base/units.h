#pragma once
// The physical quantities that cross functions. Energy is a whole number of microjoules, so that
// sums do not depend on their order and a run split by pauses adds up to the last digit; the rest
// are doubles.
//
// 1 kWh = 3.6e6 J exactly. int64 microjoules reach 2.5 GWh.

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>

namespace ebb {

class Energy {
 public:
  constexpr Energy() = default;
  static constexpr Energy Microjoules(std::int64_t microjoules) { return Energy(microjoules); }
  /// Rounds to the nearest microjoule. An energy beyond what the type holds, 2.56e6 kWh, becomes
  /// the largest one with its sign: a sum that is too large must not turn negative.
  static Energy Joules(double joules) {
    constexpr double kMost = 9.2e18;
    return Energy(std::llround(std::clamp(joules * 1e6, -kMost, kMost)));
  }

  constexpr std::int64_t microjoules() const { return microjoules_; }
  constexpr double joules() const { return static_cast<double>(microjoules_) / 1e6; }
  constexpr double kwh() const { return static_cast<double>(microjoules_) / 3.6e12; }

  constexpr Energy& operator+=(Energy other) {
    microjoules_ += other.microjoules_;
    return *this;
  }
  constexpr Energy& operator-=(Energy other) {
    microjoules_ -= other.microjoules_;
    return *this;
  }
  friend constexpr Energy operator+(Energy a, Energy b) { return a += b; }
  friend constexpr Energy operator-(Energy a, Energy b) { return a -= b; }
  friend constexpr auto operator<=>(Energy, Energy) = default;

 private:
  explicit constexpr Energy(std::int64_t microjoules) : microjoules_(microjoules) {}
  std::int64_t microjoules_ = 0;
};

struct Power {
  double watts = 0;
  friend constexpr auto operator<=>(Power, Power) = default;
};

/// Mass of CO2 equivalent.
struct Emissions {
  double grams = 0;
  constexpr Emissions& operator+=(Emissions other) {
    grams += other.grams;
    return *this;
  }
  friend constexpr Emissions operator+(Emissions a, Emissions b) { return a += b; }
  friend constexpr Emissions operator-(Emissions a, Emissions b) { return {a.grams - b.grams}; }
  friend constexpr auto operator<=>(Emissions, Emissions) = default;
};

/// Carbon intensity of electricity, gCO2eq/kWh.
struct Intensity {
  double g_per_kwh = 0;
  friend constexpr auto operator<=>(Intensity, Intensity) = default;
};

/// Power usage effectiveness: facility energy / IT energy, >= 1.
struct Pue {
  double ratio = 1.0;
  friend constexpr auto operator<=>(Pue, Pue) = default;
};

/// Emissions of IT energy `energy` in a facility with `pue` fed at `intensity`.
constexpr Emissions EmissionsOf(Energy energy, Pue pue, Intensity intensity) {
  return {energy.kwh() * pue.ratio * intensity.g_per_kwh};
}

}  // namespace ebb
