#pragma once
// Runs that MLflow believes to go on, or to be paused: a file for each in one folder, written
// before MLflow hears of the run and removed once it has taken how the run ended. So whoever is
// killed in between, somebody finds what is still to be told (run_closer.h).
//
// A file has one writer at a time: who follows the attempt, and then who closes the run.

#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "core/job.h"
#include "core/run.h"

namespace ebb::app {

/// The last attempt of which MLflow was told, or was about to be, and how that ended.
struct OpenRun {
  int attempt = 1;
  core::AttemptOutcome outcome = core::AttemptOutcome::kRunning;
  friend bool operator==(const OpenRun&, const OpenRun&) = default;
};

class OpenRuns {
 public:
  /// `jobs`: the folder that holds those of the jobs.
  explicit OpenRuns(const std::filesystem::path& jobs) : folder_(jobs / "open-runs") {}

  Status Put(core::JobId job, const OpenRun& run) const;
  void Remove(core::JobId job) const;
  /// Nothing where it is not open; a damaged file is that of a first attempt.
  std::optional<OpenRun> Find(core::JobId job) const;
  std::vector<core::JobId> Jobs() const;

 private:
  std::filesystem::path FileOf(core::JobId job) const { return folder_ / std::to_string(job); }
  std::filesystem::path folder_;
};

}  // namespace ebb::app
