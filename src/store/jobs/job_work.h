#pragma once
// The work that the program of a job has done, as it reported it (docs/training-program.md).
// Columns of the job's row: they stay when its ledger and its folder are pruned.

#include "core/jobs/job.h"
#include "core/ledger/work.h"
#include "store/database/write_group.h"

namespace ebb::store {

void SetWork(WriteGroup& group, core::JobId job, const core::Work& work);
/// Returns no counts for a job that is not in the store.
Result<core::Work> WorkOf(Database& database, core::JobId job);
/// The work in three columns of a row, from `first` on: tokens, samples, steps.
core::Work WorkFrom(const Row& row, int first);

}  // namespace ebb::store
