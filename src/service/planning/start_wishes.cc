#include "service/planning/start_wishes.h"

#include <algorithm>
#include <map>

#include "plan/deadline.h"

namespace ebb::service {
namespace {

bool MayBeKept(const engine::State& state, const engine::LiveJob& live) {
  return !engine::HoldsDevices(live) && !live.cancel_wanted &&
         live.control == engine::JobControl::kNone && live.retry_at <= state.now;
}

}  // namespace

std::vector<local::StartWish> StartsToKeep(const engine::State& state) {
  std::vector<local::StartWish> wishes;
  if (state.drain) return wishes;
  for (std::size_t i = 0; i < state.live.size(); ++i) {
    const engine::LiveJob& live = *state.live[i];
    const plan::JobPlan& plan = state.schedule.jobs[i];
    if (plan.segments.empty() || !MayBeKept(state, live)) continue;
    const plan::Segment& first = plan.segments.front();
    if (first.pool < 0 || state.cluster.pools[static_cast<std::size_t>(first.pool)].site == 0)
      continue;
    const plan::JobView view = engine::ViewOf(live, state.cluster, state.now);
    const Time latest = plan::LatestStart(view, state.cluster, first.pool);
    if (latest > state.now + kSentAhead) continue;
    wishes.push_back({live.job.id, live.attempt + 1, first.pool, first.time.begin, latest});
  }
  std::ranges::stable_sort(wishes, {}, &local::StartWish::latest);
  std::map<int, int> devices;  // by pool, of the wishes so far
  std::erase_if(wishes, [&](const local::StartWish& wish) {
    const engine::LiveJob* live = state.FindLive(wish.job);
    int& used = devices[wish.pool];
    const bool fits =
        used + live->job.devices <= state.cluster.pools[static_cast<std::size_t>(wish.pool)].count;
    if (fits) used += live->job.devices;
    return !fits;
  });
  return wishes;
}

}  // namespace ebb::service
