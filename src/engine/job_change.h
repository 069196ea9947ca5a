#pragma once
// Changes that people make to waiting jobs.

#include "engine/engine.h"

namespace ebb::engine {

/// The job after a JobChanged at this moment, or an Error that says why the change is refused: the
/// job runs, it has ended, the values are invalid, or the queue cannot keep a deadline that the
/// change makes tighter. A change that only gives the job more time is always taken.
Result<core::Job> ChangedJob(const State& state, const Options& options, const JobChanged& fact,
                             Time at);

}  // namespace ebb::engine
