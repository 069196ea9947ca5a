#pragma once
// Asks for the signals of cloud regions, each by its grid zone.

#include <string>
#include <vector>

#include "app/clouds/region_plan.h"
#include "app/options/run_options.h"

namespace ebb::app {

struct RegionGrids {
  std::vector<RegionGrid> regions;
  std::vector<std::string> notes;  ///< what sources have to say
};

/// Asks the source of each region's zone for values from `now` to `horizon` later. `flags` are
/// options of the signal, over the user's settings; they must not name a zone or a trace, because
/// every region has its own. An Error if a source fails, because a region whose signal is unknown
/// cannot be compared.
Result<RegionGrids> AskRegions(const std::vector<std::string>& regions, const FlagValues& flags,
                               Time now, Duration horizon);

}  // namespace ebb::app
