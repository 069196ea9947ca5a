#pragma once
// Decides whether a running job moves to another site, or changes its number of devices. A plan for
// tomorrow changes with each forecast. A move costs a checkpoint, a transfer and a start, and a
// change of width a checkpoint and a start, so a small gain is not worth one. Pure.

#include "engine/state.h"
#include "plan/policy.h"

namespace ebb::engine {

/// A change of width saves at least this share of what the rest of the job would emit without it.
inline constexpr double kNewWidthSaves = 0.02;

/// An attempt makes progress for at least this long before the job changes its width, so that it
/// gets on whatever a policy wants from one moment to the next.
inline constexpr Duration kWorksFor{std::chrono::minutes{1}};

/// True if the plan of a running job goes on at another site than that where it runs.
bool GoesElsewhere(const State& state, const LiveJob& live, const plan::JobPlan& plan);

/// True if such a plan saves enough and the job does not end soon, or if it would be late where it
/// is. True also while an intensity is unknown: the policy knows why then.
bool IsWorthMoving(const State& state, const LiveJob& live, const plan::JobPlan& plan);

/// True if the plan of a running elastic job goes on now, where it runs, at another width.
bool GoesOnAtAnotherWidth(const LiveJob& live, const plan::JobPlan& plan, Time now);

/// True if that saves enough, or if the job would be late at its width.
bool IsWorthANewWidth(const State& state, const LiveJob& live, const plan::JobPlan& plan);

}  // namespace ebb::engine
