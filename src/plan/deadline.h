#pragma once
// What every policy does once the latest start is reached: start whatever the intensity, or stop if
// asked to.

#include <optional>

#include "plan/gate_policy.h"

namespace ebb::plan {

/// A decision already carrying what is known at the moment: time, current value, latest start,
/// wake-up.
core::GateDecision DecisionAt(const GateRequest& request, const GateMoment& moment);

/// The decision at or after the latest start; nothing before it.
std::optional<core::GateDecision> AtLatestStart(const GateRequest& request,
                                                const GateMoment& moment);

/// "312 g/kWh" or "unknown".
std::string Describe(const std::optional<Intensity>& intensity);

}  // namespace ebb::plan
