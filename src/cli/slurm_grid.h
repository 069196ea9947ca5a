#pragma once
// The grid of a Slurm cluster by the settings of this user, at one moment.

#include <string>
#include <vector>

#include "base/result.h"
#include "core/signal/intensity.h"

namespace ebb::cli {

struct SlurmGrid {
  core::SignalView view;
  Time next_change{};
  bool is_known = true;  ///< false: the source failed for the moment, and the view is empty
  std::vector<std::string> notes;
};

/// The grid zone of the settings, or `zone`. An Error if a program on a node could not count grams
/// with them.
Result<std::string> ZoneOfCluster(const std::string& zone);

/// Asks the source of the settings for values up to `horizon` from now. An Error if the settings do
/// not name a source that there is. `zone`: empty for that of the settings.
Result<SlurmGrid> LookAtGrid(const std::string& zone, Time now, Duration horizon);

}  // namespace ebb::cli
