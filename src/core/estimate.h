#pragma once
// What a job will take, from what the same job took before and from what its owner says: the mean
// of the logarithms, in which the owner's word counts as one run. Run times and powers are positive
// and their errors are ratios, so ratios are what is averaged. Pure.

#include <optional>
#include <vector>

#include "base/time.h"
#include "base/units.h"

namespace ebb::core {

/// One earlier run that succeeded, on a device of speed 1 and power factor 1.
struct EarlierRun {
  Duration duration{};  ///< > 0
  Power power;          ///< of one device, mean; 0: not known
};

struct Estimate {
  Duration duration{};
  Power power;
  int runs = 0;  ///< earlier ones it rests on
  /// Of the earlier run times around their own geometric mean, as a ratio: 1.1 is +-10 %. 1 of one.
  double spread = 1;
};

/// What the owner said; nothing: nothing.
struct Hint {
  std::optional<Duration> duration;
  std::optional<Power> power;
};

/// Nothing when there is no earlier run.
std::optional<Estimate> EstimateFrom(const std::vector<EarlierRun>& runs, const Hint& hint);

}  // namespace ebb::core
