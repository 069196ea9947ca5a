#pragma once
// Rules that hold for every policy. At the latest start, a job starts whatever the intensity, or
// stops if it asks for that; LatestStart computes this time for a job of a queue. While the grid is
// unknown, a job waits, unless it asks to run or to stop.

#include <optional>

#include "core/devices/cluster.h"
#include "plan/gate_policy.h"

namespace ebb::plan {

/// A decision that already has the known values of the moment: time, current value, latest start,
/// wake-up.
core::GateDecision DecisionAt(const GateRequest& request, const GateMoment& moment);

/// The length over which starts are compared: the run, or half of the forecast if that is shorter.
Duration JudgedLength(const GateRequest& request, const GateMoment& moment);

/// The decision at or after the latest start; nullopt before it. A running job keeps running.
std::optional<core::GateDecision> AtLatestStart(const GateRequest& request,
                                                const GateMoment& moment);

/// The decision while no value is known for the moment, if the request asks for one. nullopt if the
/// request waits: then the policy decides.
std::optional<core::GateDecision> AtOutage(const GateRequest& request, const GateMoment& moment);

/// The decision if nothing tells one start from another (core/signal/one_value.h): a start at once,
/// with a note that says so; a running job keeps running. nullopt if hours are known, or if not
/// even the present value is.
std::optional<core::GateDecision> AtUnknownHours(const GateRequest& request,
                                                 const GateMoment& moment);

/// True if a site with a source has neither a present value nor a forecast. This is no reason to
/// start a job there before it must, nor to pause one.
bool NothingKnown(const SiteView& site);

/// Starts, resumes or keeps running, with `rule` as the reason.
core::GateDecision RunNow(core::GateDecision decision, const GateRequest& request,
                          core::GateRule rule);
/// Keeps a running job running that nothing would pause.
core::GateDecision KeepRunning(const GateRequest& request, const GateMoment& moment);

/// The latest moment at which the job can start, or go on after a pause, on the pool and keep its
/// deadlines; a move to the pool's site comes before that. A paused job with a start_by must end by
/// the time at which a start at its start_by would have ended. Time::max() without a deadline.
Time LatestStart(const JobView& job, const core::Cluster& cluster, int pool);
/// The latest start on the slowest pool that can still keep the deadline at `now`; on the fastest
/// pool if none can.
Time LatestStart(const JobView& job, const core::Cluster& cluster, Time now);

}  // namespace ebb::plan
