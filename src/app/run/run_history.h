#pragma once
// Runs that are there, each as one line of a history: from run directories, whole or broken.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/units.h"

namespace ebb::app {

struct PastRun {
  std::filesystem::path directory;  ///< empty: a job of the service
  long long job = 0;
  std::string name, user;
  /// As docs/run-directory.md names outcomes; "waiting" for its start; "killed" with Ebb; "broken".
  std::string outcome;
  std::optional<Time> created, ended;  ///< wall time
  std::optional<Duration> ran;         ///< without its pauses
  std::optional<Energy> energy;        ///< IT
  std::optional<Emissions> emissions;
  std::optional<Emissions> saved;  ///< against its submission; below 0: it emitted more
  bool replayed = false;           ///< its hours were those of a replay: nobody was spared them
  std::string note;                ///< what is wrong with the directory
};

struct RunsFound {
  std::vector<PastRun> runs;
  std::vector<std::string> notes;  ///< what could not be searched
};

/// Of one directory that holds a run, or parts of one.
PastRun ReadPastRun(const std::filesystem::path& directory, Time now);
/// All at and below the folder.
RunsFound FindPastRuns(const std::filesystem::path& folder, Time now);

}  // namespace ebb::app
