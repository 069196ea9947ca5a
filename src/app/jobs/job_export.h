#pragma once
// Exports jobs of the queue service as run directories, so that every command that reads runs
// (summary, compare, report) can read them. Reads the store and the job's own folder, and changes
// neither.

#include <filesystem>
#include <optional>

#include "base/result.h"
#include "core/jobs/job.h"
#include "prices/price_source.h"
#include "store/database/database.h"

namespace ebb::app {

/// Writes DIR/NAME-ID and returns its path. An Error if there is no such job, if it has not run
/// yet, or if the directory exists already.
Result<std::filesystem::path> ExportJob(store::Database& database, core::JobId job,
                                        const std::filesystem::path& directory);

/// Writes the run of the job into the job's own folder, replacing an earlier version. A job that
/// has used nothing has no run.
Status WriteRunOfJob(store::Database& database, core::JobId job,
                     const std::filesystem::path& folder,
                     const std::optional<prices::PriceSource>& prices);

}  // namespace ebb::app
