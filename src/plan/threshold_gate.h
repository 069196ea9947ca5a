#pragma once
// The rule that the policies threshold and tiers share.

#include <optional>

#include "plan/gate_policy.h"

namespace ebb::plan {

/// Runs at or below the threshold, and at the latest start. A running job that can be paused is
/// paused above threshold + hysteresis. Without a threshold, the job waits.
core::GateDecision ThresholdGate(const GateRequest& request, const GateMoment& moment,
                                 std::optional<Intensity> threshold, Intensity hysteresis);

}  // namespace ebb::plan
