#pragma once
// Reads the file of `ebb serve --sites`: other machines on which jobs may run, each with its grid
// zone and the way to it (docs/sites.md).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/devices/cluster.h"

namespace ebb::config {

struct SiteEntry {
  core::Site site;
  std::string host;                      ///< as ssh takes it
  std::string ssh = "ssh", ebb = "ebb";  ///< programs: here, and there
  int slots = 0;                         ///< slots of the CPU; 0: its GPUs
  std::vector<std::string> gpus;         ///< UUIDs; empty: all
  bool copies_folder = true;
  std::vector<std::string> leave_out;  ///< names in the working folder
  std::uint64_t most_mb = 0;
  std::map<std::string, std::string>
      signal;  ///< flags of a run that say where its signal comes from
  std::map<std::string, std::string> metering;  ///< flags of a run that say how it is measured
};

/// `path` is for messages; relative paths in the file begin beside it. At least one site.
Result<std::vector<SiteEntry>> ParseSites(const std::string& text, const std::string& path);
Result<std::vector<SiteEntry>> LoadSites(const std::string& path);

}  // namespace ebb::config
