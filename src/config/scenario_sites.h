#pragma once
// The sections `sites` and `devices` of a scenario: where jobs can run, and whose grid feeds it.

#include <string>
#include <vector>

#include "config/key_reader.h"
#include "core/cluster.h"
#include "signals/signal_options.h"

namespace ebb::config {

struct SiteSections {
  Given<YamlNode> sites;
  Given<YamlNode> devices;
};

struct Sites {
  core::Cluster cluster;
  std::vector<signals::SignalOptions> signals;  ///< as cluster.sites
  std::vector<std::string> price_files;         ///< the same; empty: none
  std::vector<std::string> operator_files;      ///< the same
  std::vector<std::string> unknown_idle;  ///< models whose idle draw neither file nor table has
};

/// `directory` is where relative paths of traces begin. `fallback` stands in for missing sites.
Sites ReadSites(const SiteSections& sections, const std::string& directory,
                const std::optional<signals::SignalOptions>& fallback, Problems& problems);

}  // namespace ebb::config
