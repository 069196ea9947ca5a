#pragma once
// The energy ledger of every job, as rows of core::LedgerRow, exactly. The rows of a batch and the
// job's sums are written in one transaction; LedgerStoredUpTo tells where to resume after a crash,
// so that no row is stored twice or lost.

#include <map>
#include <string>
#include <vector>

#include "core/jobs/job.h"
#include "core/ledger/ledger.h"
#include "store/accounts/ledger_sums.h"
#include "store/database/write_group.h"

namespace ebb::store {

struct LedgerBatch {
  core::JobId job = 0;
  std::vector<core::LedgerRow> rows;
};

void AddLedger(WriteGroup& group, const LedgerBatch& batch);
/// Returns the rows in the order in which they were added. `from`: only those that end later, on
/// the grid clock.
Result<std::vector<core::LedgerRow>> LedgerOf(Database& database, core::JobId job,
                                              Time from = Time::min());

/// By device, the time up to which the readings of an attempt are stored. Does not read the ledger.
Result<std::map<std::string, Time>> LedgerStoredUpTo(Database& database, core::JobId job,
                                                     int attempt);

/// The sums in the job's row. Does not read the ledger.
Result<LedgerSums> StoredSums(Database& database, core::JobId job);

}  // namespace ebb::store
