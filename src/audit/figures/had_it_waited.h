#pragma once
// The emissions that a run that could not wait would have had if it had waited, by the forecast of
// its gate at the beginning (docs/METHOD.md, Had it waited). They are computed again from
// outlook.json and the ledger. Pure.

#include <optional>
#include <string>

#include "audit/evidence/run_files.h"
#include "audit/figures/accounts.h"

namespace ebb::audit {

struct Waiting {
  Ms up_to = 0, start = 0, issued = 0;
  double grams = 0, grams_at_once = 0;
  std::string method;
};

/// Nullopt if there is nothing to report. Throws std::exception if the inputs cannot be read.
std::optional<Waiting> HadItWaited(const RunFiles& files, const Rows& rows);

}  // namespace ebb::audit
