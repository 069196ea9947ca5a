#include "app/jobs/check_options.h"

#include "app/jobs/policy_prices.h"
#include "plan/make_policy.h"
#include "store/engine_setup.h"

namespace ebb::app {

Result<store::CheckOptions> CheckOptionsFor(store::Database& database, bool replay) {
  store::CheckOptions options;
  EBB_ASSIGN_OR_RETURN(const auto setup, store::GetEngineSetup(database));
  if (!replay || !setup || setup->policy.empty()) return options;
  EBB_ASSIGN_OR_RETURN(
      const PolicyPrices prices,
      PricesFor(setup->policy, {setup->price_file, setup->price_weight, {}}, setup->priced_from));
  EBB_RETURN_IF_ERROR(plan::MakePolicy(setup->policy, prices.options));
  options.make_engine = [setup, prices] {
    return std::make_unique<engine::Engine>(setup->options,
                                            *plan::MakePolicy(setup->policy, prices.options));
  };
  return options;
}

}  // namespace ebb::app
