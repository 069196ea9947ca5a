#pragma once
// The pools of a service, or of a sweep, over its lives. What an earlier life placed is remembered
// by the number of its pool, so numbers stay: pools keep their order, those whose devices are gone
// (a GPU was taken out, another --slots) stay with none, and new models come after them.

#include <string>
#include <vector>

#include "core/cluster.h"

namespace ebb::local {

/// Orders `cluster` and `gpus` (by pool: names of the slots; may be shorter) as in `before`. Pools
/// are the same where model and site are.
void KeepPools(const core::Cluster& before, core::Cluster& cluster,
               std::vector<std::vector<std::string>>& gpus);

}  // namespace ebb::local
