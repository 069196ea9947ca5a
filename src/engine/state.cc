#include "engine/state.h"

#include <algorithm>
#include <cmath>

#include "core/jobs/move.h"
#include "core/jobs/widths.h"

namespace ebb::engine {
namespace {

// The remaining time of a job that runs longer than estimated, again and again.
constexpr Duration kLeastRemaining = std::chrono::minutes{1};

const core::DevicePool& PoolOf(const LiveJob& live, const core::Cluster& cluster) {
  return cluster.pools[static_cast<std::size_t>(live.pool)];
}

}  // namespace

std::size_t State::LowerBound(core::JobId job) const {
  const auto it = std::lower_bound(
      live.begin(), live.end(), job,
      [](const Lendable<LiveJob>& entry, core::JobId id) { return entry->job.id < id; });
  return static_cast<std::size_t>(it - live.begin());
}

const LiveJob* State::FindLive(core::JobId job) const {
  const std::size_t index = LowerBound(job);
  return index < live.size() && live[index]->job.id == job ? &*live[index] : nullptr;
}

const LiveJob* State::FindHeld(core::JobId job) const {
  const auto it = held.find(job);
  return it == held.end() ? nullptr : &*it->second;
}

const EndedJob* State::FindEnded(core::JobId job) const {
  const auto it = ended.find(job);
  return it == ended.end() ? nullptr : &it->second;
}

std::vector<int> State::FreeDevices() const {
  std::vector<std::size_t> holding;
  for (std::size_t i = 0; i < live.size(); ++i)
    if (HoldsDevices(*live[i])) holding.push_back(i);
  return engine::FreeDevices(*this, holding);
}

std::vector<int> FreeDevices(const State& state, const std::vector<std::size_t>& holding) {
  std::vector<int> free;
  free.reserve(state.cluster.pools.size());
  for (const core::DevicePool& pool : state.cluster.pools) free.push_back(pool.count);
  for (const std::size_t index : holding) {
    const LiveJob& live = *state.live[index];
    free[static_cast<std::size_t>(live.pool)] -= live.width();
  }
  return free;
}

bool HoldsDevices(Stage stage) {
  return stage == Stage::kStarting || stage == Stage::kRunning || stage == Stage::kPausing;
}

bool IsFrozen(const LiveJob& live) { return live.stage == Stage::kPaused && live.pool >= 0; }

bool HoldsDevices(const LiveJob& live) { return HoldsDevices(live.stage) || IsFrozen(live); }

bool HasEnded(Stage stage) {
  return stage == Stage::kSucceeded || stage == Stage::kFailed || stage == Stage::kCancelled;
}

plan::JobView ViewOf(const LiveJob& live, const core::Cluster& cluster, Time now) {
  plan::JobView view;
  view.job = &live.job;
  view.remaining = RemainingAt(live, cluster, now);
  view.pauses = live.pauses;
  view.last_site = live.pool >= 0 ? PoolOf(live, cluster).site : live.last_site.value_or(-1);
  const bool goes_on = IsFrozen(live) && !live.job.checkpointable;
  if (live.stage == Stage::kStarting || live.stage == Stage::kRunning || goes_on) {
    view.state = plan::JobState::kRunning;
    view.pool = live.pool;
    view.segment_begin = live.segment_begin;
    view.moving = live.moving;
    view.devices = live.devices;
  } else if (live.stage != Stage::kWaiting) {
    view.state = plan::JobState::kPaused;
  }
  return view;
}

Time ProgressFrom(const LiveJob& live) {
  const Duration resume = live.pauses > 0 ? live.job.pause_cost : Duration::zero();
  return live.segment_begin + live.moving + resume;
}

Duration RemainingAt(const LiveJob& live, const core::Cluster& cluster, Time now) {
  if (!HoldsDevices(live.stage)) return live.remaining;
  const Duration useful = now - ProgressFrom(live);
  if (useful <= Duration::zero()) return live.remaining;
  const double speed = core::SpeedOn(live.job, PoolOf(live, cluster), live.width());
  const Duration done =
      speed == 1 ? useful : Duration{std::llround(static_cast<double>(useful.count()) * speed)};
  return std::max(live.remaining - done, std::min(live.remaining, kLeastRemaining));
}

// A plan may have a width that was taken from the job since.
int WantedWidth(const LiveJob& live, const plan::JobPlan& plan) {
  const bool has_it = std::ranges::find(live.job.speedup, plan.devices,
                                        &core::WidthSpeed::devices) != live.job.speedup.end();
  return has_it ? plan.devices : live.job.devices;
}

Duration HeldOn(const LiveJob& live, const core::Cluster& cluster, int pool, int devices) {
  return core::HeldOn(live.job, cluster, live.last_site.value_or(-1), pool, devices,
                      live.remaining);
}

std::optional<Time> ExpectedEnd(const LiveJob& live, const core::Cluster& cluster, Time now) {
  const Duration left =
      live.pool < 0 ? Duration::zero()
                    : core::TimeOn(live.job, PoolOf(live, cluster), live.width(), live.remaining);
  if (IsFrozen(live)) return now + left;
  if (!HoldsDevices(live.stage)) return std::nullopt;
  const Time end = ProgressFrom(live) + left;
  if (end <= now) return std::nullopt;
  return end;
}

}  // namespace ebb::engine
