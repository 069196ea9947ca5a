#pragma once
// What somebody changes of a job that waits.

#include "engine/engine.h"

namespace ebb::engine {

/// The job as a JobChanged at this moment would make it, or why it is refused: it runs, it has
/// ended, the values mean nothing, or a deadline that it narrows cannot be kept beside the jobs
/// that are there. A change that only gives it more time is taken whatever the queue.
Result<core::Job> ChangedJob(const State& state, const Options& options, const JobChanged& fact,
                             Time at);

}  // namespace ebb::engine
