#pragma once
// Finds and reads the runs that `ebb slurm run` has left of a Slurm job.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/period/slurm_jobs.h"
#include "report/run/job_energy.h"
#include "slurm/jobs/job_place.h"

namespace ebb::app {

/// The folder of a job: `named` itself if it is one, or .ebb/slurm-NAMED in the working directory.
Result<std::filesystem::path> FindJobFolder(const std::string& named);

/// Writes down which job the folder belongs to; the same for all its tasks and attempts.
Status WriteJobFile(const std::filesystem::path& folder, const slurm::JobPlace& place);
struct JobName {
  std::string job, cluster;
};
/// The name in a job's folder; nullopt if the folder is not that of a Slurm job.
std::optional<JobName> ReadJobFile(const std::filesystem::path& folder);

/// All runs below a job's folder.
Result<std::vector<report::JobRun>> ReadJobRuns(const std::filesystem::path& folder,
                                                std::vector<std::string>& notices);

/// The runs of all Slurm jobs at or below these folders that ran in the period. A device that
/// several runs of one job read counts once. Reads one job after the other.
Result<std::vector<report::MeasuredAttempt>> MeasuredAttempts(
    const std::vector<std::filesystem::path>& folders, Interval period,
    std::vector<std::string>& notices);

}  // namespace ebb::app
