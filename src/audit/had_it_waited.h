#pragma once
// What a run that could not wait would have emitted had it waited, by what its gate expected when
// it began (docs/METHOD.md, Had it waited): again from gate_inputs.jsonl and the ledger. Pure.

#include <optional>
#include <string>

#include "audit/accounts.h"
#include "audit/run_files.h"

namespace ebb::audit {

struct Waiting {
  Ms up_to = 0, start = 0, issued = 0;
  double grams = 0, grams_at_once = 0;
  std::string method;
};

/// Nothing where there is nothing to tell. Throws std::exception where the inputs are not readable.
std::optional<Waiting> HadItWaited(const RunFiles& files, const Rows& rows);

}  // namespace ebb::audit
