#pragma once
// The gate of one attempt of a run: makes the policy that the options name, waits until it says
// start or stop, and stores and shows each decision with its inputs.

#include <functional>
#include <optional>

#include "app/run/run_sinks.h"
#include "app/run/run_surroundings.h"
#include "runtime/gate_loop.h"

namespace ebb::app {

struct GateWait {
  runtime::GateResult result;
  std::optional<Intensity> intensity_at_submission;  ///< as the first decision saw it
};

/// Called once, when the first decision is stored and shown.
using OnFirstDecision = std::function<Status(const core::GateDecision&)>;

Result<GateWait> WaitAtGate(const plan::GateRequest& request, int attempt_number,
                            const config::SchedulerConfig& scheduler, GateSide& surroundings,
                            RunSinks sinks, OnFirstDecision on_first);

}  // namespace ebb::app
