#pragma once
// Audits the service's store. The audit checks the chains of the ledgers, of the journal and of the
// settlements, and the energy files of jobs beside the store line by line (energy_files.h). It
// computes the figures of every job again from its ledger, and repeats every decision by replaying
// the journal (store/upkeep/store_check.h, as `ebb store check` does). Reads only; may run beside
// the service.

#include <optional>

#include "audit/evidence/findings.h"
#include "base/result.h"
#include "core/jobs/job.h"
#include "store/upkeep/store_check.h"

namespace ebb::audit {

struct StoreAuditOptions {
  std::optional<core::JobId> job;  ///< only this job, without decisions; nullopt: the whole store
  store::CheckOptions check;       ///< how decisions are repeated
};

Result<Audit> AuditStore(store::Database& database, const StoreAuditOptions& options);

}  // namespace ebb::audit
