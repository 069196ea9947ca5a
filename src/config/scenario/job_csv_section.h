#pragma once
// Reads the section `jobs` of a scenario if it names a CSV file: the file, and values that the file
// does not give. The formats: sim/job_csv.h.

#include "config/scenario/scenario_jobs.h"

namespace ebb::config {

JobList ReadJobCsv(const YamlNode& section, const JobsContext& context, Problems& problems);

}  // namespace ebb::config
