// Widths that an executor could not give a job, for example because of a limit of Slurm. Nobody
// tells the engine when the limit changes, so the job asks again after some hours. If it is refused
// again, that takes longer: each time may cost a pause.

#include <algorithm>

#include "core/jobs/widths.h"
#include "engine/apply.h"

namespace ebb::engine {
namespace {

constexpr Duration kAsksAgainAfter{std::chrono::hours{4}};
constexpr Duration kAsksAgainAtLast{std::chrono::hours{24}};

RefusedWidths& RefusedOf(State& state, core::JobId job) {
  const auto found = std::ranges::find(state.refused_widths, job, &RefusedWidths::job);
  if (found != state.refused_widths.end()) return *found;
  RefusedWidths refused;
  refused.job = job;
  return state.refused_widths.emplace_back(std::move(refused));
}

void Insert(std::vector<core::WidthSpeed>& speeds, std::vector<core::WidthSpeed>& back) {
  speeds.insert(speeds.end(), back.begin(), back.end());
  std::ranges::sort(speeds, {}, &core::WidthSpeed::devices);
  back.clear();
}

// The speeds that were learned meanwhile may not go with those of these widths.
void GiveBack(core::Job& job, RefusedWidths& refused) {
  Insert(job.speedup, refused.given);
  Insert(job.learned_speedup, refused.learned);
  if (!core::CheckWidths(job)) job.learned_speedup.clear();
}

}  // namespace

void RefuseWidths(State& state, core::Job& job, int refused, bool wider, Time at) {
  RefusedWidths& entry = RefusedOf(state, job.id);
  const auto take = [&](std::vector<core::WidthSpeed>& from, std::vector<core::WidthSpeed>& to) {
    const auto is_lost = [&](const core::WidthSpeed& width) {
      return wider ? width.devices >= refused : width.devices <= refused;
    };
    std::ranges::copy_if(from, std::back_inserter(to), is_lost);
    std::erase_if(from, is_lost);
  };
  take(job.speedup, entry.given);
  take(job.learned_speedup, entry.learned);
  const int doublings = std::min(entry.times++, 3);
  entry.until = at + std::min(kAsksAgainAfter * (1 << doublings), kAsksAgainAtLast);
}

void Engine::GiveWidthsBack() {
  for (RefusedWidths& refused : state_.refused_widths) {
    if (refused.given.empty() || refused.until > state_.now) continue;
    if (const auto held = state_.held.find(refused.job); held != state_.held.end()) {
      GiveBack(held->second.Change().job, refused);
    } else if (state_.FindLive(refused.job)) {
      GiveBack(Change(state_.LowerBound(refused.job)).job, refused);
      change_.jobs.push_back(refused.job);
    }
  }
}

}  // namespace ebb::engine
