// Handles jobs whose option on_outage says not to wait while their grid is unknown. Jobs that may
// wait are left to the policies, which have no value at which to start them and which keep their
// deadlines.

#include <algorithm>

#include "engine/apply.h"
#include "engine/engine.h"
#include "engine/queue_index.h"

namespace ebb::engine {
namespace {

using core::GateRule;
using core::OnOutage;

// True if the engine asked for the signal and has no value now. A site without a source is not in
// an outage.
bool Unknown(const SiteSignal& signal, Time now) {
  const bool asked = signal.observed != Time::min() || !signal.lost.empty();
  return asked && !signal.view.known.At(now);
}

template <typename Visit>
void ForEachSignal(const State& state, const core::Job& job, Visit visit) {
  for (std::size_t pool = 0; pool < state.cluster.pools.size(); ++pool) {
    const auto site = static_cast<std::size_t>(state.cluster.pools[pool].site);
    if (site < state.signals.size() && core::Fits(job, state.cluster, static_cast<int>(pool)))
      visit(state.signals[site]);
  }
}

// True if the signal is unknown at every site where the job could run.
bool InOutage(const State& state, const LiveJob& live) {
  bool somewhere = false, everywhere = true;
  ForEachSignal(state, live.job, [&](const SiteSignal& signal) {
    somewhere = true;
    everywhere = everywhere && Unknown(signal, state.now);
  });
  return somewhere && everywhere;
}

// When the last known value of the job's sites ends.
Time KnownUntil(const State& state, const LiveJob& live) {
  Time until = Time::min();
  ForEachSignal(state, live.job, [&](const SiteSignal& signal) {
    if (const core::Sample* sample = signal.view.known.At(state.now))
      until = std::max(until, sample->interval.end);
  });
  return until == Time::min() ? Time::max() : until;
}

std::string WhyUnknown(const State& state, const LiveJob& live) {
  std::string why = "no value for this moment";
  ForEachSignal(state, live.job, [&](const SiteSignal& signal) {
    if (!signal.lost.empty()) why = signal.lost;
  });
  return why;
}

}  // namespace

// Stops only jobs that have not begun, because a checkpoint must not be given up.
void Engine::StopInOutage() {
  Folding fold{options_, state_, change_, just_left_, deadlines_, touched_};
  const QueueIndex::Places& impatient = queue_index_->Of(QueueIndex::kImpatient);
  // The loop goes backwards, so that a job that ends does not move those still to come.
  for (auto place = impatient.rbegin(); place != impatient.rend(); ++place) {
    const std::size_t i = *place;
    const LiveJob& live = *state_.live[i];
    const bool begun = live.stage != Stage::kWaiting || live.attempt > 0;
    if (live.job.on_outage != OnOutage::kStop || begun || !InOutage(state_, live)) continue;
    const core::JobId id = live.job.id;
    const std::string why = WhyUnknown(state_, live);
    fold.Change(i).explanation.reason.rule = GateRule::kStoppedInOutage;
    EndJob(fold, i, Stage::kCancelled, state_.now);
    state_.ended.at(id).detail = why;
  }
}

// Returns when to look again, because a value can run out without any event.
Time Engine::RunInOutage() {
  Time wake_at = Time::max();
  for (const std::size_t i : queue_index_->Of(QueueIndex::kImpatient)) {
    const LiveJob& live = *state_.live[i];
    if (HoldsDevices(live.stage)) continue;
    if (!InOutage(state_, live)) {
      wake_at = std::min(wake_at, KnownUntil(state_, live));
    } else if (live.job.on_outage == OnOutage::kRun) {
      state_.schedule.jobs[i].run_now = true;
      state_.schedule.jobs[i].reason.rule = GateRule::kRunsInOutage;
      queue_index_->FollowPlan(state_, i);
    }
  }
  return wake_at;
}

}  // namespace ebb::engine
