#pragma once
// Reads the section `jobs` of a scenario: a list of jobs and groups of like jobs, or a CSV file
// with values that the file does not give.

#include <functional>
#include <string>
#include <vector>

#include "config/yaml/key_reader.h"
#include "core/devices/cluster.h"
#include "core/jobs/job.h"

namespace ebb::config {

struct JobsContext {
  const core::Cluster& cluster;
  /// The moment that absolute times count from. Absent if there are several start dates; then only
  /// durations are accepted.
  std::optional<Time> origin;
  std::string directory;
  std::function<Result<std::string>(const std::string& path)> read_file;
};

struct JobList {
  std::vector<core::Job> jobs;         ///< in order of submission; times are offsets from the start
                                       ///< date
  std::optional<Time> first_recorded;  ///< first submission in a CSV with dates
  std::vector<std::string> notes;
};

/// Reads the jobs. Every job has passed plan::CheckJob, or there is a problem.
JobList ReadJobs(const YamlNode& section, const JobsContext& context, Problems& problems);

}  // namespace ebb::config
