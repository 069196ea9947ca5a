#pragma once
// The last executor died while a program ran. It cannot be adopted: its exit code goes to nobody,
// and its energy was not measured meanwhile. So it is ended, and goes on from its last checkpoint
// if it can write any; else it starts again. Private to local/.

#include "local/job_state.h"
#include "local/local_job.h"

namespace ebb::local {

/// Waits for the end of what still runs; `state` and the job's state file then say what became of
/// it. An Error: it does not end although it was killed.
Status EndLeftover(const LocalJob& job, Duration grace, JobState& state);

}  // namespace ebb::local
