#pragma once
// How a store is checked: with the engine that its service had.

#include "store/store_check.h"

namespace ebb::app {

/// Without `replay`, or where the store does not say which policy it had, decisions are not made
/// again.
Result<store::CheckOptions> CheckOptionsFor(store::Database& database, bool replay);

}  // namespace ebb::app
