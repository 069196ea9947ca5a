#pragma once
// Audits one run directory. The audit checks the chains and seals, computes every figure of the
// summaries again from the ledger and the newest dated version of the signal, and repeats every
// decision of the gate from its recorded inputs. Members of a merged run are audited in the same
// way. Reads only.

#include <filesystem>

#include "audit/evidence/findings.h"
#include "base/result.h"

namespace ebb::audit {

struct RunAuditOptions {
  bool require_seal = false;  ///< a run that was never sealed is a difference
};

/// Fails if the directory cannot be read; every other problem is in the Audit.
Result<Audit> AuditRun(const std::filesystem::path& directory, const RunAuditOptions& options = {});

}  // namespace ebb::audit
