#pragma once
// Run directories that nobody needs any more: which they are, and their removal. Whatever is not
// clearly such a directory stays: a link, a folder without a readable run.json, a run that is being
// written, and the runs of a sweep, which belong to its store.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::app {

struct UnneededRun {
  std::filesystem::path directory;
  std::string name, outcome;
  Time last{};               ///< when it ended, or was created
  std::uintmax_t bytes = 0;  ///< that its removal frees
  /// Ebb made the directory for it. Of one that a person named, only what Ebb wrote is removed.
  bool whole = true;
};

struct UnneededRuns {
  std::vector<UnneededRun> runs;
  std::vector<std::string> notes;  ///< what was passed over, and why
};

/// Runs at and below the folder that never started, and with `ended_before` those that ended before
/// then. A run that is paused has not ended.
UnneededRuns FindUnneededRuns(const std::filesystem::path& folder,
                              std::optional<Time> ended_before);

/// False: somebody writes it now, and it stays. An Error where it cannot be removed.
Result<bool> RemoveUnneeded(const UnneededRun& run, std::optional<Time> ended_before);

}  // namespace ebb::app
