#pragma once
// Waits until a policy says start. The loop only moves time and data; the policy decides what to
// do. The loop survives a signal source that fails: then the policy sees a missing value, and the
// reason names the failure.

#include <string>

#include "core/jobs/decision.h"
#include "core/run/run.h"
#include "plan/gate_policy.h"
#include "runtime/grid_clock.h"
#include "runtime/signal_feed.h"

namespace ebb::runtime {

/// The inputs of one decision, apart from the request and the policy.
struct GateObservation {
  core::SignalView view;  ///< view of the signal; view.now is the time of the decision
  Time next_change{};     ///< time at which a new value is due
  std::string failure;    ///< reason why the source could not be asked; empty: it answered
};

/// The decision on an observation. The same inputs give the same decision.
core::GateDecision DecideOn(const plan::GateRequest& request, const plan::GatePolicy& policy,
                            const GateObservation& observation);

/// Receives the events of the loop while it waits. Called on the loop's thread.
class GateObserver {
 public:
  virtual ~GateObserver() = default;
  /// Called for each decision, in order; the last one starts or stops. An error ends the loop (the
  /// record cannot be kept).
  virtual Status OnDecision(const core::GateDecision& decision,
                            const GateObservation& observation) = 0;
  /// Called about once a second of wall time while waiting.
  virtual void OnTick(Time grid_now) = 0;
  /// Called once, before the loop ends, if any wait was skipped.
  virtual Status OnSkippedWait(const core::SkippedWait& wait) = 0;
};

struct GateResult {
  core::GateDecision decision;  ///< the last one
  bool interrupted = false;     ///< set if the process was asked to stop while waiting
};

/// Decides once, at `now`, and tells the observer. Asks for forecasts as WaitForStart does.
Result<core::GateDecision> DecideAt(const plan::GateRequest& request,
                                    const plan::GatePolicy& policy, SignalFeed& feed, Time now,
                                    GateObserver& observer);

/// Waits for the decision to start or stop. Asks for forecasts up to the end of a run that starts
/// at the latest start.
Result<GateResult> WaitForStart(const plan::GateRequest& request, const plan::GatePolicy& policy,
                                SignalFeed& feed, GridClock& clock, GateObserver& observer);

}  // namespace ebb::runtime
