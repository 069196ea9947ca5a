#pragma once
// The runs that MLflow believes to be running or paused: one file for each in a folder. The file is
// written before MLflow hears of the run, and removed once MLflow has accepted its outcome. If a
// process is killed in between, the file shows what MLflow must still be told (run_closer.h).
//
// A file has one writer at a time: first the follower of the attempt, then the closer of the run.

#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "core/jobs/job.h"
#include "core/run/run.h"

namespace ebb::app {

/// The last attempt that was sent to MLflow, or was about to be sent, and its outcome.
struct OpenRun {
  int attempt = 1;
  core::AttemptOutcome outcome = core::AttemptOutcome::kRunning;
  friend bool operator==(const OpenRun&, const OpenRun&) = default;
};

class OpenRuns {
 public:
  /// `jobs`: the folder that holds the folders of the jobs.
  explicit OpenRuns(const std::filesystem::path& jobs) : folder_(jobs / "open-runs") {}

  Status Put(core::JobId job, const OpenRun& run) const;
  void Remove(core::JobId job) const;
  /// The open run of a job; nullopt if it is not open. A damaged file counts as that of a first
  /// attempt.
  std::optional<OpenRun> Find(core::JobId job) const;
  std::vector<core::JobId> Jobs() const;

 private:
  std::filesystem::path FileOf(core::JobId job) const { return folder_ / std::to_string(job); }
  std::filesystem::path folder_;
};

}  // namespace ebb::app
