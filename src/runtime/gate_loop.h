#pragma once
// Waits until a policy says start. The loop only moves time and data; what to do is the policy's
// decision. It survives a signal source that fails: then the policy sees a missing value, and the
// reason names the failure.

#include <string>

#include "core/decision.h"
#include "core/run.h"
#include "plan/gate_policy.h"
#include "runtime/grid_clock.h"
#include "runtime/signal_feed.h"

namespace ebb::runtime {

/// All that one decision is made from, beside the request and the policy.
struct GateObservation {
  core::SignalView view;  ///< view.now is the moment
  Time next_change{};     ///< when a new value is due
  std::string failure;    ///< why the source could not be asked; empty: it answered
};

/// The decision on it: the same inputs give the same one.
core::GateDecision DecideOn(const plan::GateRequest& request, const plan::GatePolicy& policy,
                            const GateObservation& observation);

/// What the loop tells the world while it waits. Called on the loop's thread.
class GateObserver {
 public:
  virtual ~GateObserver() = default;
  /// Every decision, in order; the last one starts or stops. An error ends the loop (the record
  /// cannot be kept).
  virtual Status OnDecision(const core::GateDecision& decision,
                            const GateObservation& observation) = 0;
  /// About once a second of wall time while waiting.
  virtual void OnTick(Time grid_now) = 0;
  /// Once, before the loop ends, if any waiting was jumped over.
  virtual Status OnSkippedWait(const core::SkippedWait& wait) = 0;
};

struct GateResult {
  core::GateDecision decision;  ///< the last one
  bool interrupted = false;     ///< the process was asked to stop while waiting
};

/// Forecasts are asked for up to the end of a run that starts at the latest start.
Result<GateResult> WaitForStart(const plan::GateRequest& request, const plan::GatePolicy& policy,
                                SignalFeed& feed, GridClock& clock, GateObserver& observer);

}  // namespace ebb::runtime
