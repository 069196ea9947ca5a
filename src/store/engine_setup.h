#pragma once
// The settings that a service's engine was made with. They are kept in its store, so that a check
// can make the same engine and repeat every decision.

#include <optional>
#include <string>

#include "engine/engine.h"
#include "store/service_store.h"

namespace ebb::store {

struct EngineSetup {
  std::string policy;  ///< its name, with default options; empty: no check can repeat it
  engine::Options options{};
  /// Prices that the policy used beside carbon; empty: no prices.
  std::string price_file{};
  double price_weight = 0;
  Time priced_from{};  ///< a moment around which prices were known
};

void PutEngineSetup(ServiceStore& store, const EngineSetup& setup);
/// Returns nothing if none was stored.
Result<std::optional<EngineSetup>> GetEngineSetup(Database& database);

}  // namespace ebb::store
