#pragma once
// Estimates a job's run time and power from earlier runs of the same job and from its owner's hint.
// The estimate is the mean of the logarithms, in which the hint counts as one run: run times and
// powers are positive and their errors are ratios, so the mean is taken over ratios. Pure.

#include <optional>
#include <vector>

#include "base/time.h"
#include "base/units.h"

namespace ebb::core {

/// One earlier run that succeeded, on a device of speed 1 and power factor 1.
struct EarlierRun {
  Duration duration{};  ///< > 0
  Power power;          ///< mean power of one device; 0: unknown
};

struct Estimate {
  Duration duration{};
  Power power;
  int runs = 0;  ///< earlier runs behind the estimate
  /// Spread of the earlier run times around their own geometric mean, as a ratio: 1.1 is +-10 %. 1
  /// for a single run.
  double spread = 1;
};

/// The owner's own figures; nullopt if the owner gave none.
struct Hint {
  std::optional<Duration> duration;
  std::optional<Power> power;
};

/// nullopt if there is no earlier run.
std::optional<Estimate> EstimateFrom(const std::vector<EarlierRun>& runs, const Hint& hint);

}  // namespace ebb::core
