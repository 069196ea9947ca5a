#pragma once
// A job of the queue service as a run: what its store and the job's own folder know of it. Reads
// both; they stay as they are. Users: the export of jobs (job_export.h), and what a supervisor
// tells experiment trackers (job_follower.h).

#include <filesystem>
#include <string>

#include "base/result.h"
#include "core/job.h"
#include "core/run.h"
#include "local/attempt_files.h"
#include "store/database.h"

namespace ebb::app {

/// Where the service keeps a job's files, given its store.
std::filesystem::path JobDirectory(const std::filesystem::path& store, core::JobId job);

/// What a supervisor says of an attempt before it begins: the run as its plan has it, and how it is
/// measured (`metering`: the fields that DescribeMetering fills). Written beside the plan.
Status WriteAttemptSpec(const local::AttemptPaths& paths, const core::RunSpec& spec);
core::RunSpec SpecOf(const local::AttemptPaths& paths, const local::AttemptPlan& plan,
                     const core::RunSpec& metering);

/// Its attempts that used anything, their ledger, its budget, and the signal from its submission to
/// its latest possible end. An Error where there is no such job; one that has not run yet has no
/// attempts.
Result<core::RunRecord> StoredRun(store::Database& database, core::JobId job);

/// What all jobs of a store share, for those who read many.
struct StoreFacts {
  std::string policy;
  core::SignalIdentity signal;
};
Result<StoreFacts> FactsOf(store::Database& database);
Result<core::RunRecord> StoredRun(store::Database& database, core::JobId job,
                                  const StoreFacts& facts);

}  // namespace ebb::app
