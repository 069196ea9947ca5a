#pragma once
// What a sweep's directory says of how it was begun, and what may differ when it is continued.

#include "app/sweep/sweep_paths.h"
#include "app/sweep/sweep_run.h"
#include "base/result.h"

namespace ebb::app {

/// An Error when an earlier version of Ebb, which kept no store, began the sweep.
Status CheckHasStore(const SweepPaths& paths);

/// An Error when the directory holds another sweep, or the same one changed. `written_out`: by
/// sweep::LocalJobs.
Status CheckSameSweep(const SweepPaths& paths, const std::string& written_out);

/// The stored flags, and the given ones over them. What shapes decisions cannot change half-way, or
/// the journal would not replay.
Result<SweepRunRequest> WithStoredFlags(SweepRunRequest request, const SweepPaths& paths);

/// Budgets may be raised when a sweep is continued: they hold from then on.
Status StoreBudgets(const SweepRunRequest& request, const SweepPaths& paths);

/// Stores the sweep and its flags, in a directory that is made.
Status StoreSweep(const std::string& written_out, const SweepRunRequest& request,
                  const RunOptions& options, const SweepPaths& paths);

}  // namespace ebb::app
