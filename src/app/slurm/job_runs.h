#pragma once
// Finds and reads the runs that `ebb slurm run` has left of a Slurm job.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/run/job_energy.h"

namespace ebb::app {

/// The folder of a job: `named` itself if it is one, or .ebb/slurm-NAMED in the working directory.
Result<std::filesystem::path> FindJobFolder(const std::string& named);

/// All runs below a job's folder.
Result<std::vector<report::JobRun>> ReadJobRuns(const std::filesystem::path& folder,
                                                std::vector<std::string>& notices);

}  // namespace ebb::app
