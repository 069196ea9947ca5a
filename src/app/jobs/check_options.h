#pragma once
// Options for checking a store with the policy and prices that its service had.

#include "store/upkeep/store_check.h"

namespace ebb::app {

/// Decisions are repeated only with `replay`, and only if the store names its policy.
Result<store::CheckOptions> CheckOptionsFor(store::Database& database, bool replay);

}  // namespace ebb::app
