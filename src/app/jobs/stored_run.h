#pragma once
// A job of the queue service as a run, from its store and the job's own folder. Reads both and
// changes neither. Users: the export of jobs (job_export.h), and supervisors, which report to
// experiment trackers (job_follower.h).

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/devices/cluster.h"
#include "core/jobs/job.h"
#include "core/run/run.h"
#include "local/files/attempt_files.h"
#include "store/database/database.h"

namespace ebb::app {

/// The folder of a job's files, beside the service's store.
std::filesystem::path JobDirectory(const std::filesystem::path& store, core::JobId job);

/// Writes what a supervisor knows of an attempt before it begins, beside the attempt's plan: the
/// run of the plan, and how it is measured (`metering`: the fields that DescribeMetering fills).
Status WriteAttemptSpec(const local::AttemptPaths& paths, const core::RunSpec& spec);
core::RunSpec SpecOf(const local::AttemptPaths& paths, const local::AttemptPlan& plan,
                     const core::RunSpec& metering);

/// The attempts of a job that used anything, their ledger, its budget, and the signal from its
/// submission to its latest possible end. An Error if there is no such job; a job that has not run
/// yet has no attempts.
Result<core::RunRecord> StoredRun(store::Database& database, core::JobId job);

/// Facts that all jobs of a store share, for callers that read many jobs.
struct StoreFacts {
  std::string policy;
  core::SignalIdentity signal;           ///< of the service's own machine
  std::vector<core::Site> site_of_pool;  ///< empty: the service has one site
};
Result<StoreFacts> FactsOf(store::Database& database);
Result<core::RunRecord> StoredRun(store::Database& database, core::JobId job,
                                  const StoreFacts& facts);

/// The part of a job that ran at one site, with the newest values of that site's zone.
struct RunAtSite {
  core::Site site;  ///< without a name if the service has one site
  core::RunRecord run;
};
/// The parts of a job by site; the last one is where it ran last. A job that has not run has one.
Result<std::vector<RunAtSite>> StoredRunBySite(store::Database& database, core::JobId job,
                                               const StoreFacts& facts);

}  // namespace ebb::app
