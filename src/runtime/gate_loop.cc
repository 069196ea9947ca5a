#include "runtime/gate_loop.h"

#include <algorithm>

#include "plan/deadline.h"

namespace ebb::runtime {
namespace {

constexpr Duration kTick{1000};
// A source that fails says when to ask again; this bounds a source that answers "at once".
constexpr Duration kMinimumWait{1};

struct Observation {
  core::SignalView view;
  std::string failure;
};

Observation Observe(const plan::GateRequest& request, SignalFeed& feed, Time now) {
  const Duration horizon = std::max(Duration::zero(), request.start_by - now) + request.run_time;
  auto view = feed.Observe(now, horizon);
  if (view) return {*std::move(view), {}};
  core::SignalView nothing;
  nothing.now = now;
  return {std::move(nothing), view.error().Message()};
}

core::GateDecision DecideAt(const plan::GateRequest& request, const plan::GatePolicy& policy,
                            SignalFeed& feed, const Observation& observation) {
  const Time now = observation.view.now;
  const plan::GateMoment moment{observation.view, feed.NextChange(now)};
  auto outage = plan::AtOutage(request, moment);
  auto decision = outage ? *std::move(outage) : policy.Decide(request, moment);
  if (!observation.failure.empty()) decision.note = observation.failure;
  return decision;
}

// Sleeps in ticks until the grid clock reaches `wake_at`.
Wake SleepUntil(Time wake_at, GridClock& clock, GateObserver& observer) {
  while (clock.Now() < wake_at) {
    if (clock.SleepUntil(wake_at, kTick) == Wake::kInterrupted) return Wake::kInterrupted;
    observer.OnTick(clock.Now());
  }
  return Wake::kDeadline;
}

}  // namespace

Result<GateResult> WaitForStart(const plan::GateRequest& request, const plan::GatePolicy& policy,
                                SignalFeed& feed, GridClock& clock, GateObserver& observer) {
  // With skipped waits no time passes between decisions: the time this process takes must not move
  // them.
  Time now = clock.settings().skip_waits ? clock.settings().begin : clock.Now();
  const Time began = now;
  for (;;) {
    const Observation observation = Observe(request, feed, now);
    const core::GateDecision decision = DecideAt(request, policy, feed, observation);
    EBB_RETURN_IF_ERROR(observer.OnDecision(decision, observation.view));
    if (decision.action != core::GateAction::kWait) {
      if (clock.settings().skip_waits && now > began)
        EBB_RETURN_IF_ERROR(observer.OnSkippedWait({{began, now}}));
      return GateResult{decision, false};
    }
    const Time wake_at = std::max(decision.wake_at, now + kMinimumWait);
    if (clock.settings().skip_waits) {
      clock.SkipTo(wake_at);
      now = wake_at;
      continue;
    }
    if (SleepUntil(wake_at, clock, observer) == Wake::kInterrupted)
      return GateResult{decision, true};
    now = clock.Now();
  }
}

}  // namespace ebb::runtime
