#pragma once
// The seal of a run directory: one line of seals.jsonl that names, as of one moment, the head of
// each chain and the digest of each other file that figures are made from or written to. A file
// that is later changed, cut off or removed does not match the seal (`ebb audit`). Sealing again,
// after a resume or when the run was settled, adds a line; earlier seals stay. seals.jsonl is
// chained, too.

#include <filesystem>

#include "base/result.h"
#include "base/time.h"

namespace ebb::report {

/// `now` is wall time.
Status SealRun(const std::filesystem::path& directory, Time now);

}  // namespace ebb::report
