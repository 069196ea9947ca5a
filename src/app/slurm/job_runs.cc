#include "app/slurm/job_runs.h"

#include "platform/path_facts.h"
#include "report/run/run_directory.h"
#include "slurm/job_place.h"

namespace ebb::app {

namespace fs = std::filesystem;

Result<fs::path> FindJobFolder(const std::string& named) {
  if (platform::IsDirectory(named)) return fs::path(named);
  const fs::path folder = slurm::JobFolder("", named);
  if (platform::IsDirectory(folder)) return folder;
  return Fail({ExitCode::kUnavailable, "no runs of this job are here", named,
               "name its folder: the one of ebb slurm run --directory, or .ebb/slurm-" + named +
                   " where the job was submitted"});
}

Result<std::vector<report::JobRun>> ReadJobRuns(const fs::path& folder,
                                                std::vector<std::string>& notices) {
  EBB_ASSIGN_OR_RETURN(const auto directories, report::FindRunDirectories(folder));
  std::vector<report::JobRun> runs;
  for (const fs::path& directory : directories) {
    const auto attempt = slurm::AttemptOfFolder(directory.parent_path().filename());
    if (!attempt) continue;
    EBB_ASSIGN_OR_RETURN(core::RunRecord run, report::ReadRun(directory, &notices));
    runs.push_back({*attempt, slurm::NodeOfFolder(directory.filename()), std::move(run)});
  }
  if (runs.empty())
    return Fail({ExitCode::kUnavailable, "holds no attempts of a Slurm job", folder.string(),
                 "ebb summary reads single runs"});
  return runs;
}

}  // namespace ebb::app
