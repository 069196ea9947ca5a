#pragma once
// Waits for clean power as the gate of a run does, for a caller that starts something by itself. It
// starts, measures and stores nothing.

#include "app/run/run_surroundings.h"
#include "base/result.h"
#include "plan/gate_policy.h"
#include "runtime/gate_loop.h"

namespace ebb::app {

struct CleanWait {
  plan::GateRequest request;  ///< submitted when the wait began
  runtime::GateResult result;
  Time ended{};  ///< grid time
};

/// Waits until the policy says start or stop. With `decide_only` it returns the first decision,
/// which may be to wait.
Result<CleanWait> WaitForClean(const config::SchedulerConfig& scheduler, bool decide_only,
                               GateSide& side, runtime::GateObserver& observer);

}  // namespace ebb::app
