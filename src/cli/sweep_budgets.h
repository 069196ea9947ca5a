#pragma once
// What the experiments of `ebb sweep run` may use, and each of them (core/budget.h): read from the
// sweep file and the flags that go over it, kept with the sweep, and what a sweep that is continued
// makes of it.

#include <array>

#include "base/result.h"
#include "cli/run_options.h"
#include "cli/sweep_halving.h"
#include "sweep/sweep.h"

namespace ebb::cli {

/// The flags, without dashes.
inline constexpr std::array<const char*, 3> kExperimentBudgetFlags{"budget-kwh", "budget-g",
                                                                   "budget-action"};

/// `flags` over what the file says of each experiment.
Result<core::Budget> ExperimentBudget(const sweep::JobTraits& traits, const FlagValues& flags);

/// The run that stopped at a limit which `budget` does not raise, and may go on once it does:
/// nullptr when it may go on now.
const core::BudgetEvent* HeldBy(const std::vector<core::BudgetEvent>& events,
                                const core::Budget& budget);

/// Of a sweep that is continued: experiments that were paused by their budget wait for a larger one
/// and go on with it.
Status HoldOrRelease(const SweepPaths& paths, const sweep::Sweep& sweep, const core::Budget& budget,
                     const engine::State& state, SweepSubmissions& submissions);

}  // namespace ebb::cli
