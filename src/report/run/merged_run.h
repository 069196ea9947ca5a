#pragma once
// Run directories that are one run: ranks of a distributed job, attempts on several machines.
// What counts is core/ledger_union.h; a merged directory is a run directory (docs/run-directory.md)
// that also keeps its members under members/<run id>, so merging merged directories is merging
// their members, in any order.

#include <string>
#include <vector>

#include "base/result.h"
#include "core/run.h"
#include "report/run/run_directory.h"

namespace ebb::report {

inline constexpr const char* kMembersFolder = "members";

struct MergedRun {
  std::vector<core::RunRecord> members;  ///< each run once, by run id
  core::RunRecord record;                ///< the union: summaries and comparisons are made of it
  Energy not_counted;                    ///< energy of the members that another reading stands for
  std::vector<std::string> notices;
};

/// One text per machine. Containers of one have names of their own; its boot tells that they are
/// on one.
std::string MachineOf(const core::RunRecord& run);

/// The run directory itself, or of a merged one its members.
Result<std::vector<Path>> RunsIn(const Path& directory);

/// Reads run directories and merged ones. Refused: average with marginal (of either signal), unlike
/// boundaries, replayed with real clocks.
Result<MergedRun> MergeRuns(const std::vector<Path>& directories, const std::string& name);

/// Writes the union and its members; refuses a directory that holds a run.
Status WriteMergedRun(const Path& directory, const MergedRun& merged);

}  // namespace ebb::report
