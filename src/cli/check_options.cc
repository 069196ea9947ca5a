#include "cli/check_options.h"

#include "plan/make_policy.h"
#include "store/engine_setup.h"

namespace ebb::cli {

Result<store::CheckOptions> CheckOptionsFor(store::Database& database, bool replay) {
  store::CheckOptions options;
  EBB_ASSIGN_OR_RETURN(const auto setup, store::GetEngineSetup(database));
  if (!replay || !setup || setup->policy.empty()) return options;
  EBB_RETURN_IF_ERROR(plan::MakePolicy(setup->policy, {}));
  options.make_engine = [setup] {
    return std::make_unique<engine::Engine>(setup->options, *plan::MakePolicy(setup->policy, {}));
  };
  return options;
}

}  // namespace ebb::cli
