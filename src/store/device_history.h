#pragma once
// What the store's ended jobs say of the models of devices they ran on, for core/device_history.h.

#include <vector>

#include "core/cluster.h"
#include "core/device_history.h"
#include "store/database.h"
#include "store/service_store.h"

namespace ebb::store {

/// Attempts are stored with the numbers of their pools: which model each number stands for.
void RememberPools(ServiceStore& store, const core::Cluster& cluster);

/// The newest `limit` jobs that succeeded in one piece, could not be frozen, had no power
/// cap of their own, and ran on a pool whose
/// model is remembered. Run times are on the grid clock, as estimates are; power is of the GPUs.
Result<std::vector<core::DeviceRun>> DeviceRuns(Database& database, int limit = 500);

}  // namespace ebb::store
