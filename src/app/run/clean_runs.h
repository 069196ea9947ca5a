#pragma once
// Finds and removes run directories that nobody needs any more. Everything that is not clearly such
// a directory stays: a link, a folder without a readable run.json, a run that is being written, and
// the runs of a sweep, which belong to its store.

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
  Time last{};               ///< time at which the run ended or was created
  std::uintmax_t bytes = 0;  ///< bytes that the removal frees
  /// True if Ebb created the directory. In a directory that a person named, only files that Ebb
  /// wrote are removed.
  bool whole = true;
};

struct UnneededRuns {
  std::vector<UnneededRun> runs;
  std::vector<std::string> notes;  ///< directories that were passed over, and why
};

/// Finds runs at and below the folder that never started, and with `ended_before` those that ended
/// before then. A paused run has not ended.
UnneededRuns FindUnneededRuns(const std::filesystem::path& folder,
                              std::optional<Time> ended_before);

/// Removes the run; false if it is in use now and stays. An Error if it cannot be removed.
Result<bool> RemoveUnneeded(const UnneededRun& run, std::optional<Time> ended_before);

}  // namespace ebb::app
