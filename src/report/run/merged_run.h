#pragma once
// Merges run directories that belong to one run: ranks of a distributed job, attempts on several
// machines. core/run/ledger_union.h decides which energy counts. A merged directory is a run
// directory (docs/run-directory.md) that also keeps its members under members/<run id>, so merging
// merged directories means merging their members, in any order.

#include <string>
#include <vector>

#include "base/result.h"
#include "core/run/run.h"
#include "report/run/run_directory.h"

namespace ebb::report {

inline constexpr const char* kMembersFolder = "members";

struct MergedRun {
  std::vector<core::RunRecord> members;  ///< each run once, by run id
  core::RunRecord record;                ///< the union, for summaries and comparisons
  Energy not_counted;  ///< energy of the members that another reading already covers
  std::vector<std::string> notices;
};

/// One text per machine. Containers of one machine have names of their own; the machine's boot
/// shows that they are on one.
std::string MachineOf(const core::RunRecord& run);

/// The run directory itself, or the members of a merged one.
Result<std::vector<Path>> RunsIn(const Path& directory);

/// Reads run directories and merged ones. Refuses to merge average with marginal intensities (of
/// either signal), unlike boundaries, and replayed with real clocks.
Result<MergedRun> MergeRuns(const std::vector<Path>& directories, const std::string& name);

/// Writes the union and its members; refuses a directory that holds a run.
Status WriteMergedRun(const Path& directory, const MergedRun& merged);

}  // namespace ebb::report
