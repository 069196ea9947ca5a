#pragma once
// The section `jobs` of a scenario: a list of jobs and groups of like jobs, or a CSV file with what
// it does not say.

#include <functional>
#include <string>
#include <vector>

#include "config/key_reader.h"
#include "core/cluster.h"
#include "core/job.h"

namespace ebb::config {

struct JobsContext {
  const core::Cluster& cluster;
  /// What absolute times count from; absent where there are several start dates, and then only
  /// durations are understood.
  std::optional<Time> origin;
  std::string directory;
  std::function<Result<std::string>(const std::string& path)> read_file;
};

struct JobList {
  std::vector<core::Job> jobs;         ///< times are offsets from the start date; by submission
  std::optional<Time> first_recorded;  ///< of a CSV with dates: its first submission
  std::vector<std::string> notes;
};

/// Every job has passed plan::CheckJob, or there is a problem.
JobList ReadJobs(const YamlNode& section, const JobsContext& context, Problems& problems);

}  // namespace ebb::config
