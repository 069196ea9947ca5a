#pragma once
// The service's store, audited: the chains of its ledgers, its journal and what jobs were settled
// on; the energy files of jobs beside it, line by line (energy_files.h); the figures of every job
// again from its ledger; every decision again by replaying the journal (store/store_check.h, as
// `ebb store check` does). Reads only; may run beside the service.

#include <optional>

#include "audit/findings.h"
#include "base/result.h"
#include "core/job.h"
#include "store/store_check.h"

namespace ebb::audit {

struct StoreAuditOptions {
  std::optional<core::JobId> job;  ///< of this one only, and no decisions; nothing: all of it
  store::CheckOptions check;       ///< how decisions are made again
};

Result<Audit> AuditStore(store::Database& database, const StoreAuditOptions& options);

}  // namespace ebb::audit
