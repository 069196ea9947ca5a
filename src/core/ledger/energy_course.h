#pragma once
// The energy of a run as a function of the time since its begin, with its pauses closed up. It
// gives the emissions of the same run at any other start quickly: the cost does not depend on the
// number of rows, and a search over many starts and sites stays short for a long ledger. Pure.

#include <optional>
#include <vector>

#include "core/ledger/ledger.h"

namespace ebb::core {

class EnergyCourse {
 public:
  explicit EnergyCourse(const std::vector<LedgerRow>& rows);

  /// The running time, without pauses.
  Duration length() const { return points_.empty() ? Duration{} : points_.back().at; }
  /// The emissions of the energy, without PUE, if the run begins at `start`. nullopt: `signal` has
  /// no value for some of its time. O(samples of the run x log rows).
  std::optional<Emissions> At(Time start, const IntensitySeries& signal) const;

 private:
  // The energy up to a moment, and the power from there to the next point.
  struct Point {
    Duration at{};
    double kwh = 0, kwh_per_ms = 0;
  };
  double KwhUpTo(Duration at) const;

  std::vector<Point> points_;  // in order of time
};

}  // namespace ebb::core
