#pragma once
// One run directory, audited: its chains and seals, every figure of its summaries again from the
// ledger and the newest dated version of the signal, every decision of its gate again from what it
// was made from; members of a merged run likewise. Reads only.

#include <filesystem>

#include "audit/findings.h"
#include "base/result.h"

namespace ebb::audit {

struct RunAuditOptions {
  bool require_seal = false;  ///< what was never sealed is a difference
};

/// Fails where the directory cannot be read; all else is in the Audit.
Result<Audit> AuditRun(const std::filesystem::path& directory, const RunAuditOptions& options = {});

}  // namespace ebb::audit
