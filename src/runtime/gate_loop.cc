#include "runtime/gate_loop.h"

#include <algorithm>

#include "plan/deadline.h"

namespace ebb::runtime {
namespace {

constexpr Duration kTick{1000};
// A source that fails says when to ask again. This bounds a source that says "at once".
constexpr Duration kMinimumWait{1};

GateObservation Observe(const plan::GateRequest& request, SignalFeed& feed, Time now) {
  const Duration horizon =
      std::max(Duration::zero(), request.latest_start - now) + request.remaining;
  GateObservation observation;
  auto view = feed.Observe(now, horizon);
  if (view)
    observation.view = *std::move(view);
  else
    observation.failure = view.error().Message();
  observation.view.now = now;
  observation.next_change = feed.NextChange(now);
  return observation;
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

core::GateDecision DecideOn(const plan::GateRequest& request, const plan::GatePolicy& policy,
                            const GateObservation& observation) {
  const plan::GateMoment moment{observation.view, observation.next_change};
  auto outage = plan::AtOutage(request, moment);
  auto decision = outage ? *std::move(outage) : policy.Decide(request, moment);
  if (!observation.failure.empty()) decision.note = observation.failure;
  return decision;
}

Result<core::GateDecision> DecideAt(const plan::GateRequest& request,
                                    const plan::GatePolicy& policy, SignalFeed& feed, Time now,
                                    GateObserver& observer) {
  const GateObservation observation = Observe(request, feed, now);
  core::GateDecision decision = DecideOn(request, policy, observation);
  EBB_RETURN_IF_ERROR(observer.OnDecision(decision, observation));
  return decision;
}

Result<GateResult> WaitForStart(const plan::GateRequest& request, const plan::GatePolicy& policy,
                                SignalFeed& feed, GridClock& clock, GateObserver& observer) {
  // With skipped waits no time passes between decisions, because the time that this process takes
  // must not change them.
  Time now = clock.settings().skip_waits ? clock.settings().begin : clock.Now();
  const Time began = now;
  for (;;) {
    EBB_ASSIGN_OR_RETURN(const core::GateDecision decision,
                         DecideAt(request, policy, feed, now, observer));
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
