#pragma once
// The policy at the gate of a run, made from the options that name it.

#include <memory>
#include <optional>

#include "app/options/run_options.h"
#include "base/result.h"
#include "plan/gate_policy.h"
#include "plan/price_blend.h"
#include "prices/price_source.h"

namespace ebb::app {

/// The price options of the gate, if prices have a weight or a threshold.
std::optional<plan::PriceGateOptions> PriceOptionsOf(
    const config::SchedulerConfig& scheduler, const std::optional<prices::PriceSource>& prices,
    const plan::GateRequest& gate);

Result<std::unique_ptr<plan::GatePolicy>> PolicyOf(
    const config::SchedulerConfig& scheduler, const std::optional<plan::PriceGateOptions>& prices);

}  // namespace ebb::app
