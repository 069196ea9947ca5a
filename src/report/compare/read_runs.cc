#include "report/compare/read_runs.h"

#include <algorithm>

#include "base/text.h"
#include "report/run/run_directory.h"

namespace ebb::report {
namespace {

Status CheckExists(const Path& directory) {
  std::error_code code;
  if (std::filesystem::exists(directory, code)) return {};
  return Fail({ExitCode::kUnavailable, "there is no such directory", directory.string(),
               "name run directories, for example runs/*"});
}

bool NeverStarted(const core::Attempt& attempt) {
  return attempt.outcome == core::AttemptOutcome::kNotStarted;
}

// The run, or the reason why it cannot be compared.
Result<core::RunRecord> ReadComplete(const Path& directory, std::vector<std::string>& notices) {
  EBB_ASSIGN_OR_RETURN(core::RunRecord run, ReadRun(directory, &notices));
  const auto& attempts = run.attempts;
  if (std::all_of(attempts.begin(), attempts.end(), NeverStarted))
    return Fail({ExitCode::kConfiguration, "its program never started", directory.string(), ""});
  return run;
}

}  // namespace

Result<RunsToCompare> ReadRunsToCompare(std::span<const Path> directories) {
  RunsToCompare result;
  for (const Path& directory : directories) {
    EBB_RETURN_IF_ERROR(CheckExists(directory));
    std::vector<std::string> notices;
    auto run = ReadComplete(directory, notices);
    if (!run) {
      const Error& error = run.error();
      result.skipped.push_back("Skipped " + error.where + ": " + error.what + ".");
      continue;
    }
    for (const std::string& notice : notices)
      result.notices.push_back(directory.string() + ": " + notice);
    result.runs.push_back(std::move(*run));
  }
  if (result.runs.empty())
    return Fail({ExitCode::kConfiguration,
                 "there is no run to compare. " + Join(result.skipped, " "), "",
                 "name the directories that ebb printed at the end of runs"});
  return result;
}

}  // namespace ebb::report
