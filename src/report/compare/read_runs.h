#pragma once
// Reads the runs that a comparison is asked for. `runs/*` also names folders that are not runs,
// such as that of an earlier comparison, and runs whose program never started.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/run/run.h"

namespace ebb::report {

struct RunsToCompare {
  std::vector<core::RunRecord> runs;
  std::vector<std::string> skipped;  ///< a sentence for each directory that was skipped
  std::vector<std::string> notices;  ///< sentences on dropped parts of the runs that were read
};

/// Fails if a directory does not exist, or if no run is left.
Result<RunsToCompare> ReadRunsToCompare(std::span<const std::filesystem::path> directories);

}  // namespace ebb::report
