#pragma once
// Programs at another site that cannot be reached now: they go on, but nobody can pause them there.

#include "core/devices/cluster.h"

namespace ebb::core {

/// True if nothing is known of the devices of a pool in which a job runs, because the pool is at
/// another site and that site cannot be reached, or was not reached yet.
inline bool IsOutOfReach(const Cluster& cluster, int pool) {
  const DevicePool& devices = cluster.pools[static_cast<std::size_t>(pool)];
  return devices.site > 0 && devices.count == 0;
}

}  // namespace ebb::core
