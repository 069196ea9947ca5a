#pragma once
// Jobs of the queue service as run directories, so that every command that reads runs (summary,
// compare, report) reads them too. Reads the store and the job's own folder; both stay as they are.

#include <filesystem>
#include <optional>

#include "base/result.h"
#include "core/job.h"
#include "prices/price_source.h"
#include "store/database.h"

namespace ebb::app {

/// Writes DIR/NAME-ID, and returns it. An Error where there is no such job, it has not run yet, or
/// the directory is there already.
Result<std::filesystem::path> ExportJob(store::Database& database, core::JobId job,
                                        const std::filesystem::path& directory);

/// Writes the run of the job into its own folder, in place of what was written there before. One
/// that has used nothing has none.
Status WriteRunOfJob(store::Database& database, core::JobId job,
                     const std::filesystem::path& folder,
                     const std::optional<prices::PriceSource>& prices);

}  // namespace ebb::app
