#pragma once
// The pools of a service, or of a sweep, across restarts. Jobs that an earlier life placed are
// stored with the number of their pool, so numbers stay: pools keep their order, pools whose
// devices are gone (a GPU was taken out, another --slots) stay without devices, and new models
// follow them.

#include <string>
#include <vector>

#include "core/devices/cluster.h"

namespace ebb::local {

/// Orders `cluster` and `gpus` (by pool: names of the slots; may be shorter) as in `before`. Pools
/// with the same model and site are the same. Further sites of `before` stay too.
void KeepPools(const core::Cluster& before, core::Cluster& cluster,
               std::vector<std::vector<std::string>>& gpus);

}  // namespace ebb::local
