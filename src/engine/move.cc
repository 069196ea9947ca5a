#include "engine/move.h"

#include <optional>

namespace ebb::engine {
namespace {

// The emissions of running for this time on the pool; nothing if the intensity is unknown.
std::optional<double> GramsOf(const State& state, const core::Job& job, int pool, Interval time) {
  const core::DevicePool& devices = state.cluster.pools[static_cast<std::size_t>(pool)];
  const auto mean = state.signals[static_cast<std::size_t>(devices.site)].view.Mean(time);
  if (!mean) return std::nullopt;
  return EmissionsOf(core::EnergyOn(job, devices, time.length()), state.cluster.SiteOf(pool).pue,
                     mean->intensity)
      .grams;
}

}  // namespace

bool GoesElsewhere(const State& state, const LiveJob& live, const plan::JobPlan& plan) {
  const auto& pools = state.cluster.pools;
  if (live.pool < 0 || plan.segments.empty() || plan.segments.front().pool < 0) return false;
  return pools[static_cast<std::size_t>(plan.segments.front().pool)].site !=
         pools[static_cast<std::size_t>(live.pool)].site;
}

bool IsWorthMoving(const State& state, const LiveJob& live, const plan::JobPlan& plan) {
  const core::DevicePool& here = state.cluster.pools[static_cast<std::size_t>(live.pool)];
  const Duration left = RemainingAt(live, state.cluster, state.now);
  const auto latest = core::LatestStartOn(live.job, here, left);
  if (latest && *latest < state.now && live.job.finish_by) return true;
  const auto stays = GramsOf(state, live.job, live.pool,
                             {state.now, state.now + core::TimeOn(live.job, here, left)});
  double moves = 0;
  for (const plan::Segment& segment : plan.segments) {
    const auto grams = GramsOf(state, live.job, segment.pool, segment.time);
    if (!grams) return true;
    moves += *grams;
  }
  return !stays || moves <= (1 - kMoveSaves) * *stays;
}

}  // namespace ebb::engine
