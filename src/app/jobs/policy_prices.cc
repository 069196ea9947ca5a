#include "app/jobs/policy_prices.h"

#include "config/prices/price_file.h"

namespace ebb::app {
namespace {

// The time around a queue for which prices are read; there are no prices beyond it.
constexpr Duration kPriceReach = std::chrono::hours{24 * 400};

}  // namespace

Result<PolicyPrices> PricesFor(const std::string& policy, const config::PriceConfig& prices,
                               Time around) {
  if (prices.weight > 0 && (prices.path.empty() || policy != "planner"))
    return Fail({ExitCode::kConfiguration,
                 prices.path.empty() ? "--price-weight needs --prices FILE"
                                     : "--price-weight is for the planner, not for " + policy,
                 "", "docs/prices.md"});
  PolicyPrices made;
  if (prices.path.empty()) return made;
  EBB_ASSIGN_OR_RETURN(made.source, config::LoadPrices(prices.path));
  made.options.planner.prices.tariff_weight = prices.weight;
  made.options.planner.prices.tariffs = {std::make_shared<const core::PriceSeries>(
      made.source->Over({around - kPriceReach, around + kPriceReach}))};
  return made;
}

}  // namespace ebb::app
