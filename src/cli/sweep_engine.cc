#include "cli/sweep_engine.h"

#include "config/price_file.h"
#include "plan/make_policy.h"

namespace ebb::cli {
namespace {

// Prices over any queue's time: what is beyond has no price.
constexpr Duration kPriceReach = std::chrono::hours{24 * 400};

}  // namespace

Result<SweepEngine> MakeSweepEngine(const std::string& policy, const config::PriceConfig& prices,
                                    Time now) {
  if (prices.weight > 0 && (prices.path.empty() || policy != "planner"))
    return Fail({ExitCode::kConfiguration,
                 prices.path.empty() ? "--price-weight needs --prices FILE"
                                     : "--price-weight is for the planner, not for " + policy,
                 "", "docs/prices.md"});
  SweepEngine made;
  plan::PolicyOptions options;
  if (!prices.path.empty()) {
    EBB_ASSIGN_OR_RETURN(made.prices, config::LoadPrices(prices.path));
    options.planner.prices.tariff_weight = prices.weight;
    options.planner.prices.tariffs = {std::make_shared<const core::PriceSeries>(
        made.prices->Over({now - kPriceReach, now + kPriceReach}))};
  }
  EBB_ASSIGN_OR_RETURN(auto made_policy, plan::MakePolicy(policy, options));
  made.engine = std::make_unique<engine::Engine>(engine::Options{}, std::move(made_policy));
  return made;
}

}  // namespace ebb::cli
