#pragma once
// The rule that threshold and tiers share.

#include <optional>

#include "plan/gate_policy.h"

namespace ebb::plan {

/// Runs at or below the threshold, and at the latest start; a running job that can be paused is
/// paused above threshold + hysteresis. No threshold: none can be told, waits.
core::GateDecision ThresholdGate(const GateRequest& request, const GateMoment& moment,
                                 std::optional<Intensity> threshold, Intensity hysteresis);

}  // namespace ebb::plan
