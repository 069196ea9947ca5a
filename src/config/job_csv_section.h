#pragma once
// The section `jobs` of a scenario where it names a CSV file: the file, and what it does not say of
// its jobs. The formats: sim/job_csv.h.

#include "config/scenario_jobs.h"

namespace ebb::config {

JobList ReadJobCsv(const YamlNode& section, const JobsContext& context, Problems& problems);

}  // namespace ebb::config
