#include "app/run/gate_policy.h"

#include <utility>

#include "plan/make_policy.h"

namespace ebb::app {
namespace {

// Prices are read for the wait and the run, a day before, and far enough ahead for the longest
// look-ahead.
constexpr Duration kPriceContext = std::chrono::hours{48};

}  // namespace

std::optional<plan::PriceGateOptions> PriceOptionsOf(
    const config::SchedulerConfig& scheduler, const std::optional<prices::PriceSource>& prices,
    const plan::GateRequest& gate) {
  const config::PriceConfig& config = scheduler.prices;
  if (!prices || (config.weight <= 0 && !config.threshold)) return std::nullopt;
  const Interval span{gate.submitted - kPriceContext,
                      gate.latest_start + gate.remaining + kPriceContext};
  auto series = std::make_shared<const core::PriceSeries>(prices->Over(span));
  return plan::PriceGateOptions{std::move(series), config.weight, config.threshold};
}

Result<std::unique_ptr<plan::GatePolicy>> PolicyOf(
    const config::SchedulerConfig& scheduler, const std::optional<plan::PriceGateOptions>& prices) {
  plan::PolicyOptions options;
  options.threshold.threshold = scheduler.threshold;
  EBB_ASSIGN_OR_RETURN(auto policy, plan::MakeGatePolicy(Name(scheduler.policy), options));
  return prices ? plan::MakePriceAware(std::move(policy), *prices) : std::move(policy);
}

}  // namespace ebb::app
