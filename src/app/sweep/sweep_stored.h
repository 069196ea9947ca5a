#pragma once
// The stored flags and definition of a sweep, and checks of what may change when it is continued.

#include "app/sweep/sweep_paths.h"
#include "app/sweep/sweep_run.h"
#include "base/result.h"

namespace ebb::app {

/// An Error if the sweep was begun by an earlier version of Ebb, which kept no store.
Status CheckHasStore(const SweepPaths& paths);

/// An Error if the directory holds another sweep, or a changed version of this one. `written_out`:
/// the text of sweep::LocalJobs.
Status CheckSameSweep(const SweepPaths& paths, const std::string& written_out);

/// The stored flags, overridden by the given ones. Flags that shape decisions cannot change
/// half-way, because the journal could not be replayed.
Result<SweepRunRequest> WithStoredFlags(SweepRunRequest request, const SweepPaths& paths);

/// Stores changed budgets. Budgets may be raised when a sweep is continued, and apply from then on.
Status StoreBudgets(const SweepRunRequest& request, const SweepPaths& paths);

/// Stores the sweep and its flags in its directory, which is created.
Status StoreSweep(const std::string& written_out, const SweepRunRequest& request,
                  const RunOptions& options, const SweepPaths& paths);

}  // namespace ebb::app
