#pragma once
// The runs that a comparison is asked for. `runs/*` also names what is not a run, such as the
// folder of an earlier comparison, and runs whose program never started.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/run.h"

namespace ebb::report {

struct RunsToCompare {
  std::vector<core::RunRecord> runs;
  std::vector<std::string> skipped;  ///< a sentence for each directory that is not among them
  std::vector<std::string> notices;  ///< what was dropped of those that are
};

/// Fails if a directory does not exist, or if no run is left.
Result<RunsToCompare> ReadRunsToCompare(std::span<const std::filesystem::path> directories);

}  // namespace ebb::report
