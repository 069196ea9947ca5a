#pragma once
// Reads from the store's ended jobs how models of devices perform, for
// core/devices/device_history.h.

#include <vector>

#include "core/devices/cluster.h"
#include "core/devices/device_history.h"
#include "store/database/database.h"
#include "store/service_store.h"

namespace ebb::store {

/// Remembers which model and which site each pool number stands for, because attempts are stored
/// with the numbers.
void RememberPools(ServiceStore& store, const core::Cluster& cluster);

/// The newest `limit` jobs that succeeded in one piece, could not be frozen, had no power cap of
/// their own, were not elastic, and ran on a pool whose model is remembered. Run times are on the
/// grid clock, as estimates are; power is that of the GPUs.
Result<std::vector<core::DeviceRun>> DeviceRuns(Database& database, int limit = 500);
Result<std::vector<core::DeviceRun>> DeviceRuns(ServiceStore& store);

/// The site of each pool number, with name and zone; empty if all are the service's own machine.
Result<std::vector<core::Site>> SitesOfPools(Database& database);

}  // namespace ebb::store
