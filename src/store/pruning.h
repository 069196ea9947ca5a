#pragma once
// Retention: of jobs that ended long ago the ledger and the folder go; their rows with the sums,
// their attempts and the sums over all jobs stay for ever. Done in steps of a few milliseconds,
// each a transaction of its own, so that whoever prunes can decide in between.

#include <functional>

#include "core/job.h"
#include "store/database.h"

namespace ebb::store {

struct PruneStep {
  core::JobId job = 0;    ///< that was worked on; 0: nothing is left to prune
  std::int64_t rows = 0;  ///< of its ledger that were removed
  bool job_is_done = false;
};

/// Removes the folder of a job; called again where the step it belonged to was not stored.
using RemoveFolder = std::function<void(core::JobId)>;

/// Of the job that ended first, before this moment: some rows of its ledger, or the last of it
/// together with its folder.
Result<PruneStep> PruneNext(Database& database, Time before, const RemoveFolder& remove_folder);

/// What steps with this limit would remove in all.
struct PruneEstimate {
  std::int64_t jobs = 0, rows = 0;
};
Result<PruneEstimate> EstimatePruning(Database& database, Time before);

/// Gives pages that hold nothing back to the file system, `pages` of them at most, where more than
/// `keep` are there (new rows need some again). A store that was made before version 7 of the
/// schema keeps them until Compact.
Status GiveBackPages(Database& database, std::int64_t keep, std::int64_t pages);
/// Gives all of them back. A store of an older version is written anew for that, once: it needs as
/// much free space as it has data.
Status Compact(Database& database);
/// Moves all writes into the database file, and empties the write-ahead log beside it.
Status EmptyWriteAheadLog(Database& database);

}  // namespace ebb::store
