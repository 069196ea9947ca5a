#include "runtime/awaited_places.h"

#include <algorithm>

#include "plan/deadline.h"

namespace ebb::runtime {

void AwaitedPlaces::Add(const engine::Engine& engine, Time now) {
  const engine::State& state = engine.state();
  for (const core::JobId id : engine.change().jobs) {
    any_ = true;
    const engine::LiveJob* live = state.FindLive(id);
    if (!live || engine::HoldsDevices(*live)) continue;
    const plan::JobView view = engine::ViewOf(*live, state.cluster, now);
    by_ = std::min(by_, plan::LatestStart(view, state.cluster, now));
  }
}

}  // namespace ebb::runtime
