#pragma once
// What is known of a job's last attempt, as one small file in the job's run directory, written
// atomically: how an executor that starts again knows what an earlier one did. Lines of "name
// value"; the last is the free text.
//
// A killed machine or executor leaves the phase of a program that ran: whether it still runs is
// then for the process table to say (platform::ProcessIdentity).

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/event.h"

namespace ebb::local {

struct JobState {
  engine::JobReport report;      ///< as Observe says it
  int pid = 0;                   ///< of the program while it runs; 0: it was about to be started
  std::string process_identity;  ///< empty with pid 0
};

/// Where a job's state is kept, given its run directory.
inline std::filesystem::path StateFileIn(const std::filesystem::path& directory) {
  return directory / "job.state";
}
Status WriteJobState(const std::filesystem::path& file, const JobState& state);
/// Nothing where there is no file. An Error names a damaged one.
Result<std::optional<JobState>> ReadJobState(const std::filesystem::path& file, core::JobId job);

}  // namespace ebb::local
