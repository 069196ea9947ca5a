#pragma once
// Finds the jobs that used energy in a period, without reading their ledgers.

#include <optional>
#include <vector>

#include "core/jobs/job.h"
#include "store/database/database.h"

namespace ebb::store {

struct JobSpan {
  core::JobId job = 0;
  Time submitted{};
  Time begin{};             ///< begin of the first attempt
  std::optional<Time> end;  ///< nothing: the job has not ended
  bool used_gpu = false;
  bool pruned = false;  ///< the ledger has been removed
};

/// Jobs that may have used energy in `window`, by number. Times are the store's: on a replayed
/// clock they differ from wall time (store_clock.h).
Result<std::vector<JobSpan>> JobsThatRan(Database& database, Interval window);

/// The PUE of the newest ledger rows; nothing if there are no rows.
Result<std::optional<Pue>> NewestPue(Database& database);

}  // namespace ebb::store
