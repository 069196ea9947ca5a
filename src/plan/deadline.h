#pragma once
// What holds whatever the policy. Once the latest start is reached: start whatever the intensity,
// or stop if asked to; and when that is, for a job of a queue. While the grid is unknown: wait,
// unless asked to run or to stop.

#include <optional>

#include "core/cluster.h"
#include "plan/gate_policy.h"

namespace ebb::plan {

/// A decision already carrying what is known at the moment: time, current value, latest start,
/// wake-up.
core::GateDecision DecisionAt(const GateRequest& request, const GateMoment& moment);

/// What starts are compared by: the run, or half of what is forecast where that is shorter.
Duration JudgedLength(const GateRequest& request, const GateMoment& moment);

/// The decision at or after the latest start; nothing before it. A running job keeps running.
std::optional<core::GateDecision> AtLatestStart(const GateRequest& request,
                                                const GateMoment& moment);

/// The decision while no value is known for the moment, where the request asks for one; nothing
/// where it waits, and the policy decides.
std::optional<core::GateDecision> AtOutage(const GateRequest& request, const GateMoment& moment);

/// Nothing tells one start from another (core/one_value.h): a start at once, which says so; a
/// running job keeps running. Nothing where hours are known, or not even the present value is.
std::optional<core::GateDecision> AtUnknownHours(const GateRequest& request,
                                                 const GateMoment& moment);

/// Whether a site that has a source is known neither now nor ahead: no reason to start a job there
/// before it must, nor to pause one.
bool NothingKnown(const SiteView& site);

/// Starts, resumes or keeps running, by `rule`.
core::GateDecision RunNow(core::GateDecision decision, const GateRequest& request,
                          core::GateRule rule);
/// A running job that nothing would pause.
core::GateDecision KeepRunning(const GateRequest& request, const GateMoment& moment);

/// The latest moment at which the job can start, or go on after a pause, on the pool and keep its
/// deadlines. A job that was paused owes its start_by the end that a start then would have had.
/// Time::max() without a deadline.
Time LatestStart(const JobView& job, const core::DevicePool& pool);
/// On the slowest pool that can still make it at `now`; on the fastest when none can.
Time LatestStart(const JobView& job, const core::Cluster& cluster, Time now);

}  // namespace ebb::plan
