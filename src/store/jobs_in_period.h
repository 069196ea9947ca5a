#pragma once
// Which jobs used energy in a stretch of time, without reading their ledgers.

#include <optional>
#include <vector>

#include "core/job.h"
#include "store/database.h"

namespace ebb::store {

struct JobSpan {
  core::JobId job = 0;
  Time submitted{};
  Time begin{};             ///< of its first attempt
  std::optional<Time> end;  ///< nothing: it has not ended
  bool used_gpu = false;
  bool pruned = false;  ///< its ledger is not kept any more
};

/// Those that may have used energy in `window`, by number. Times are the store's: on a replayed
/// clock they are not those of the wall (store_clock.h).
Result<std::vector<JobSpan>> JobsThatRan(Database& database, Interval window);

/// The PUE of the ledger's newest rows; nothing where there are none.
Result<std::optional<Pue>> NewestPue(Database& database);

}  // namespace ebb::store
