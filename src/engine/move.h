#pragma once
// Decides whether a running job moves to another site. A plan for tomorrow changes with each
// forecast, and a move costs a checkpoint, a transfer and a start, so a small gain is not worth
// one. Pure.

#include "engine/state.h"
#include "plan/policy.h"

namespace ebb::engine {

/// A move saves at least this share of what the rest of the job would emit if it stayed.
inline constexpr double kMoveSaves = 0.1;
/// A job that has come to a site stays there for at least this long.
inline constexpr Duration kStaysFor{std::chrono::hours{1}};

/// True if the plan of a running job goes on at another site than that where it runs.
bool GoesElsewhere(const State& state, const LiveJob& live, const plan::JobPlan& plan);

/// True if such a plan saves enough, or if the job would be late where it is. True also while an
/// intensity is unknown: the policy knows why then.
bool IsWorthMoving(const State& state, const LiveJob& live, const plan::JobPlan& plan);

}  // namespace ebb::engine
