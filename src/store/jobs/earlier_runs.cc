#include "store/jobs/earlier_runs.h"

#include <algorithm>
#include <optional>

#include "core/jobs/widths.h"
#include "store/jobs/job_records.h"

namespace ebb::store {
namespace {

// Devices and commands are compared row by row, so the number of rows per name is limited.
constexpr int kMostOfName = 50;

// The devices that an attempt had; nullopt if an elastic job's are not known.
std::optional<int> WidthOf(const AttemptRecord& attempt, const core::Job& job) {
  if (!core::IsElastic(job)) return job.devices;
  const auto widths = core::WidthsOf(job);
  const int devices = static_cast<int>(attempt.devices.size());
  const auto found = std::ranges::find(widths, devices, &core::WidthSpeed::devices);
  return found == widths.end() ? std::nullopt : std::optional(devices);
}

// A run of no length if the width of an attempt is not known.
core::EarlierRun RunOf(const JobRecord& record, const std::vector<AttemptRecord>& attempts,
                       const core::Job& job, const core::Cluster& cluster) {
  double work_s = 0, power_time = 0;
  for (const AttemptRecord& attempt : attempts) {
    if (!attempt.began || !attempt.ended || attempt.pool < 0 ||
        attempt.pool >= static_cast<int>(cluster.pools.size()))
      continue;
    const core::DevicePool& pool = cluster.pools[static_cast<std::size_t>(attempt.pool)];
    const auto width = WidthOf(attempt, job);
    if (!width) return {};
    const Duration length = *attempt.ended - *attempt.began;
    work_s += Seconds(length) * core::SpeedOn(job, pool, *width);
    core::Job unit = job;
    unit.power = Power{1};
    power_time += Seconds(length) * core::PowerOn(unit, pool, *width).watts;
  }
  core::EarlierRun run{DurationFromSeconds(work_s), Power{0}};
  if (power_time > 0) run.power = Power{record.energy.joules() / power_time};
  return run;
}

}  // namespace

Result<std::vector<core::EarlierRun>> EarlierRuns(Database& database,
                                                  const core::Submission& submission,
                                                  const core::Cluster& cluster, int limit) {
  JobFilter filter;
  filter.stages = {engine::Stage::kSucceeded};
  filter.name = submission.job.name;
  filter.limit = kMostOfName;
  EBB_ASSIGN_OR_RETURN(const std::vector<JobRecord> records, ListJobs(database, filter));
  std::vector<core::EarlierRun> runs;
  for (const JobRecord& record : records) {
    if (static_cast<int>(runs.size()) == limit) break;
    EBB_ASSIGN_OR_RETURN(const auto earlier, FindSubmission(database, record.id));
    if (!earlier || earlier->command != submission.command ||
        earlier->job.devices != submission.job.devices ||
        earlier->power_cap != submission.power_cap)
      continue;
    EBB_ASSIGN_OR_RETURN(const auto attempts, AttemptsOf(database, record.id));
    const core::EarlierRun run = RunOf(record, attempts, earlier->job, cluster);
    if (run.duration > Duration::zero()) runs.push_back(run);
  }
  return runs;
}

}  // namespace ebb::store
