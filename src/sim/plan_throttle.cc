#include "sim/plan_throttle.h"

#include <algorithm>

#include "plan/deadline.h"

namespace ebb::sim {
namespace {

using engine::Planning;

// Time of the next plan, such that a kind of plan that uses `each` of the allowance has some left
// at the end of the span.
Time NextTurn(Time last, Duration span, std::size_t each, std::int64_t allowance) {
  if (last == Time::min()) return last;
  const double share = static_cast<double>(each) / static_cast<double>(allowance);
  return last + std::max(Duration{1}, DurationFromSeconds(Seconds(span) * share));
}

}  // namespace

Time PlanThrottle::WholeDueAt() const {
  return NextTurn(whole_at_, options_.span, std::min(jobs_, options_.most_in_plan),
                  options_.planned_jobs);
}

// The next turn, or at once (Time::min()) if a job has to start by then.
Time PlanThrottle::BesideDueAt() const {
  const Time turn = NextTurn(beside_at_, options_.span, jobs_, options_.beside_jobs);
  return new_by_ <= turn ? Time::min() : turn;
}

// New jobs, and jobs that have left their devices, wait for a place until `new_by_` at the latest.
void PlanThrottle::AwaitPlaces(const engine::Engine& engine) {
  const engine::State& state = engine.state();
  for (const core::JobId id : engine.change().jobs) {
    new_waits_ = true;
    const engine::LiveJob* live = state.FindLive(id);
    if (!live || engine::HoldsDevices(*live)) continue;
    const plan::JobView view = engine::ViewOf(*live, state.cluster, executor_.Now());
    new_by_ = std::min(new_by_, plan::LatestStart(view, state.cluster, executor_.Now()));
  }
}

Planning PlanThrottle::Choose(engine::Engine& engine) {
  const Time now = executor_.Now();
  jobs_ = engine.state().live.size();
  AwaitPlaces(engine);
  Planning planning = Planning::kFollow;
  if (engine.has_unplanned() && WholeDueAt() <= now)
    planning = Planning::kWhole;
  else if (new_waits_ && BesideDueAt() <= now)
    planning = Planning::kPlace;
  if (planning == Planning::kFollow) return planning;
  new_waits_ = false;
  new_by_ = Time::max();
  beside_at_ = now;
  if (planning == Planning::kWhole) whole_at_ = now;
  return planning;
}

void PlanThrottle::OnDecided(const engine::Engine& engine) { unplanned_ = engine.has_unplanned(); }

Time PlanThrottle::NextAt() const {
  const Time beside = new_waits_ ? BesideDueAt() : Time::max();
  return unplanned_ ? std::min(beside, WholeDueAt()) : beside;
}

}  // namespace ebb::sim
