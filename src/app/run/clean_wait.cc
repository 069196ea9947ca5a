#include "app/run/clean_wait.h"

#include "app/run/gate_policy.h"

namespace ebb::app {

Result<CleanWait> WaitForClean(const config::SchedulerConfig& scheduler, bool decide_only,
                               GateSide& side, runtime::GateObserver& observer) {
  CleanWait wait;
  wait.request = RequestNow(scheduler, side.clock);
  const auto prices = PriceOptionsOf(scheduler, side.prices, wait.request);
  EBB_ASSIGN_OR_RETURN(const auto policy, PolicyOf(scheduler, prices));
  if (decide_only) {
    EBB_ASSIGN_OR_RETURN(wait.result.decision, runtime::DecideAt(wait.request, *policy, *side.feed,
                                                                 wait.request.submitted, observer));
  } else {
    EBB_ASSIGN_OR_RETURN(wait.result, runtime::WaitForStart(wait.request, *policy, *side.feed,
                                                            side.clock, observer));
  }
  // No time passes on a clock that skips waits, but from decision to decision.
  const bool decides_at_once = decide_only || side.clock.settings().skip_waits;
  wait.ended = decides_at_once ? wait.result.decision.at : side.clock.Now();
  return wait;
}

}  // namespace ebb::app
