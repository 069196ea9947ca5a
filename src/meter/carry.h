#pragma once
// Turns energy that comes as doubles into whole microjoules without losing the fractions: the
// fraction that one reading cuts off is added to the next one, so the readings of a device add up
// to its energy within one microjoule however often it was sampled.

#include <cmath>

#include "base/units.h"

namespace ebb::meter {

class Carry {
 public:
  /// `joules` must not be negative.
  Energy Add(double joules) {
    const double microjoules = joules * 1e6 + rest_microjoules_;
    const double whole = std::floor(microjoules);
    rest_microjoules_ = microjoules - whole;
    return Energy::Microjoules(static_cast<std::int64_t>(whole));
  }

 private:
  double rest_microjoules_ = 0;  ///< in [0, 1)
};

}  // namespace ebb::meter
