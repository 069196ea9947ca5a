#pragma once
// Jobs from a CSV file. Two formats are understood by their header:
//   arrival_time,length,cpus            GAIA's: hours since the start, hours, devices
//   submit_time,duration_s,gpus,job_id  the shared job traces: ISO-8601 UTC, seconds, devices, name
// Other columns are ignored; columns may have any order. A row with an invalid value (a field that
// is not a number, a length of zero, half a device) is an Error with its line and cause, and then
// no job is taken. Pure: the caller reads the file.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/jobs/job.h"

namespace ebb::sim {

/// Values for jobs up to a length that the file does not give. The first rule that fits a job
/// applies.
struct JobRule {
  std::optional<Duration> duration_up_to;  ///< absent: any length
  std::optional<Duration> max_delay;       ///< latest start after submission; absent: the default
  std::optional<Power> power;              ///< of one device; absent: the default
  std::string tier;
};

struct JobCsvOptions {
  JobCsvOptions() { job.power = Power{1000}; }
  core::Job job;  ///< values that the file does not give, for all of its jobs
  std::optional<Duration> max_delay;
  std::vector<JobRule> rules;
  Duration shortest{0};  ///< shorter jobs are left out and counted
  std::optional<Duration> longest;
  std::optional<int> widest;     ///< wider jobs are left out and counted
  std::optional<int> most_jobs;  ///< only the first jobs by submission, at most this many
};

struct JobCsv {
  std::vector<core::Job> jobs;  ///< by submission, which is an offset from `first`; ids from 1
  Time first{};                 ///< submission of the first row; Time{} for GAIA's format
  int left_out = 0;             ///< jobs left out by shortest, longest and widest
};

/// `path` is the file's name for messages.
Result<JobCsv> ParseJobCsv(std::string_view text, const std::string& path,
                           const JobCsvOptions& options);

}  // namespace ebb::sim
