#include "engine/move.h"

#include <optional>

#include "core/jobs/move.h"
#include "core/jobs/widths.h"

namespace ebb::engine {
namespace {

// The emissions of holding this many of the pool's devices for this time after the job was at
// `last_site`: those of running and, at another site, of bringing it there. Nothing if an intensity
// is unknown.
std::optional<double> GramsOf(const State& state, const core::Job& job, int last_site, int pool,
                              int width, Interval time) {
  core::Job at_width = job;
  at_width.devices = width;
  double grams = 0;
  for (const core::EnergyPart& part :
       core::EnergyOver(at_width, state.cluster, last_site, pool, time).parts()) {
    if (part.energy == Energy{}) continue;
    const auto mean = state.signals[static_cast<std::size_t>(part.site)].view.Mean(part.time);
    if (!mean) return std::nullopt;
    grams += EmissionsOf(part.energy, part.pue, mean->intensity).grams;
  }
  return grams;
}

// The time that the rest of the job takes where and as it runs.
Duration TimeHere(const State& state, const LiveJob& live) {
  const core::DevicePool& here = state.cluster.pools[static_cast<std::size_t>(live.pool)];
  return core::TimeOn(live.job, here, live.width(), RemainingAt(live, state.cluster, state.now));
}

bool WouldBeLate(const State& state, const LiveJob& live) {
  return live.job.finish_by && state.now + TimeHere(state, live) > *live.job.finish_by;
}

// True if the plan emits less, by this share, than the rest of the job where and as it runs; also
// while an intensity is unknown, or if the job would be late there.
bool Saves(const State& state, const LiveJob& live, const plan::JobPlan& plan, double share) {
  if (WouldBeLate(state, live)) return true;
  const Duration takes = TimeHere(state, live);
  int site = state.cluster.pools[static_cast<std::size_t>(live.pool)].site;
  const auto stays =
      GramsOf(state, live.job, site, live.pool, live.width(), {state.now, state.now + takes});
  double planned = 0;
  for (const plan::Segment& segment : plan.segments) {
    const int width = segment.devices > 0 ? segment.devices : live.job.devices;
    const auto grams = GramsOf(state, live.job, site, segment.pool, width, segment.time);
    if (!grams) return true;
    planned += *grams;
    site = state.cluster.pools[static_cast<std::size_t>(segment.pool)].site;
  }
  return !stays || planned <= (1 - share) * *stays;
}

}  // namespace

bool GoesElsewhere(const State& state, const LiveJob& live, const plan::JobPlan& plan) {
  const auto& pools = state.cluster.pools;
  if (live.pool < 0 || plan.segments.empty() || plan.segments.front().pool < 0) return false;
  return pools[static_cast<std::size_t>(plan.segments.front().pool)].site !=
         pools[static_cast<std::size_t>(live.pool)].site;
}

bool IsWorthMoving(const State& state, const LiveJob& live, const plan::JobPlan& plan) {
  const bool ends_soon = TimeHere(state, live) < core::kStaysFor;
  if (ends_soon && !WouldBeLate(state, live)) return false;
  return Saves(state, live, plan, core::kMoveSaves);
}

bool GoesOnAtAnotherWidth(const LiveJob& live, const plan::JobPlan& plan, Time now) {
  if (!plan.run_now || plan.segments.empty() || plan.pool != live.pool) return false;
  return WantedWidth(live, plan) != live.width() && plan.segments.front().time.begin <= now;
}

bool IsWorthANewWidth(const State& state, const LiveJob& live, const plan::JobPlan& plan) {
  return Saves(state, live, plan, kNewWidthSaves);
}

}  // namespace ebb::engine
