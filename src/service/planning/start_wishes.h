#pragma once
// Which jobs are sent ahead to another site, so that the site keeps their latest start although the
// connection breaks (local/kept_starts.cc): those that the plan places there and that have to start
// before long. A pure function of the engine's state.

#include <vector>

#include "engine/state.h"
#include "local/supervised_executor.h"

namespace ebb::service {

/// A job goes ahead once its latest start is this near. Plans for later change too often.
inline constexpr Duration kSentAhead{std::chrono::hours{24}};

/// At most as many for each pool as it has devices, those with the earliest latest start first.
std::vector<local::StartWish> StartsToKeep(const engine::State& state);

}  // namespace ebb::service
