#pragma once
// Reads the sections `sites` and `devices` of a scenario: where jobs can run, and which grid feeds
// each site.

#include <string>
#include <vector>

#include "config/scenario/scenario_table.h"
#include "core/devices/cluster.h"
#include "signals/signal_options.h"

namespace ebb::config {

struct Sites {
  core::Cluster cluster;
  std::vector<signals::SignalOptions> signals;  ///< in the order of cluster.sites
  std::vector<std::string> price_files;         ///< in the same order; empty if a site has none
  std::vector<std::string> operator_files;      ///< in the same order
  std::vector<std::string> unknown_idle;  ///< models whose idle draw is in neither the file nor the
                                          ///< table
};

/// Relative paths of traces begin at `directory`. `fallback` is used if there are no sites.
Sites ReadSites(const ScenarioSections& sections, const std::string& directory,
                const std::optional<signals::SignalOptions>& fallback, Problems& problems);

}  // namespace ebb::config
