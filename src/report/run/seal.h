#pragma once
// The seal of a run directory: one line of seals.jsonl that names the head of each chain and the
// digest of each other file that figures rest on or are told in, as of one moment. What is changed,
// cut off or taken away afterwards does not agree with it (`ebb audit`). Sealing again, after a
// resume or when the run was settled, adds a line; earlier seals stay. seals.jsonl is chained, too.

#include <filesystem>

#include "base/result.h"
#include "base/time.h"

namespace ebb::report {

/// `now` is wall time.
Status SealRun(const std::filesystem::path& directory, Time now);

}  // namespace ebb::report
