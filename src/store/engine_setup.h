#pragma once
// What the engine of a service was made with, kept in its store, so that a check can make the same
// engine and decide everything again.

#include <optional>
#include <string>

#include "engine/engine.h"
#include "store/service_store.h"

namespace ebb::store {

struct EngineSetup {
  std::string policy;  ///< its name, with default options; empty: no check can make it again
  engine::Options options{};
  /// What the policy looked at beside carbon; empty: no prices.
  std::string price_file{};
  double price_weight = 0;
  Time priced_from{};  ///< prices were known for some time around it
};

void PutEngineSetup(ServiceStore& store, const EngineSetup& setup);
/// Nothing where none was put.
Result<std::optional<EngineSetup>> GetEngineSetup(Database& database);

}  // namespace ebb::store
