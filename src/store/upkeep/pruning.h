#pragma once
// Retention: removes the ledger and the folder of jobs that ended long ago. Their rows with the
// sums, their attempts and the sums over all jobs stay for ever. Each step takes a few milliseconds
// and is a transaction of its own, so that the loop can decide in between.

#include <functional>

#include "core/jobs/job.h"
#include "store/database/database.h"

namespace ebb::store {

struct PruneStep {
  core::JobId job = 0;    ///< the job of this step; 0: nothing is left to prune
  std::int64_t rows = 0;  ///< number of ledger rows that were removed
  bool job_is_done = false;
};

/// Removes the folder of a job; called again if the step was not stored.
using RemoveFolder = std::function<void(core::JobId)>;

/// Takes the job that ended first, before this moment, and removes some rows of its ledger, or the
/// last of them together with its folder.
Result<PruneStep> PruneNext(Database& database, Time before, const RemoveFolder& remove_folder);

/// Totals that steps with this limit would remove.
struct PruneEstimate {
  std::int64_t jobs = 0, rows = 0;
};
Result<PruneEstimate> EstimatePruning(Database& database, Time before);

/// Gives at most `pages` free pages back to the file system if there are more than `keep` (new rows
/// need some again). A store that was made before version 7 of the schema keeps them until Compact.
Status GiveBackPages(Database& database, std::int64_t keep, std::int64_t pages);
/// Gives all free pages back. A store of an older version is rewritten once for that, which needs
/// as much free space as it has data.
Status Compact(Database& database);
/// Moves all writes into the database file, and empties the write-ahead log beside it.
Status EmptyWriteAheadLog(Database& database);

}  // namespace ebb::store
