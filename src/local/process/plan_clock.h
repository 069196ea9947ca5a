#pragma once
// The service's clock in a process of an attempt: the supervisor, or the follower of a site.

#include "local/files/attempt_files.h"
#include "runtime/grid_clock.h"

namespace ebb::local {

/// The clock of the service, as it was when the plan was written, going on since then.
runtime::GridClock ClockOf(const AttemptPlan& plan, runtime::Clock& wall);

}  // namespace ebb::local
