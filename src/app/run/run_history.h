#pragma once
// Lists existing runs, one line each, from run directories that may be complete or broken.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/ledger/work.h"

namespace ebb::app {

struct PastRun {
  std::filesystem::path directory;  ///< empty for a job of the service
  long long job = 0;
  std::string name, user;
  /// The outcome with its name in docs/run-directory.md; also "waiting" for its start, "killed"
  /// together with Ebb, "broken".
  std::string outcome;
  std::optional<Time> created, ended;  ///< wall time
  std::optional<Duration> ran;         ///< running time without pauses
  std::optional<Energy> energy;        ///< IT energy
  std::optional<Emissions> emissions;
  std::optional<Emissions> saved;  ///< saving against a start at submission; negative if it emitted
                                   ///< more
  std::vector<core::UnitUse> per_unit;  ///< uses per unit of reported work, the finest unit first
  bool replayed = false;  ///< the hours were replayed, so no emissions were really avoided
  std::string note;       ///< the problem with the directory
};

struct RunsFound {
  std::vector<PastRun> runs;
  std::vector<std::string> notes;  ///< folders that could not be searched
};

/// Reads a directory that holds a run, or parts of one.
PastRun ReadPastRun(const std::filesystem::path& directory, Time now);
/// Finds all runs at and below the folder.
RunsFound FindPastRuns(const std::filesystem::path& folder, Time now);

}  // namespace ebb::app
