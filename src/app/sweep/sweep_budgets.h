#pragma once
// What the experiments of `ebb sweep run` may use, and each of them (core/budget.h): read from the
// sweep file and the flags that go over it, kept with the sweep, and what a sweep that is continued
// makes of it.

#include <array>

#include "app/options/run_options.h"
#include "app/sweep/sweep_paths.h"
#include "base/result.h"
#include "core/budget.h"
#include "sweep/sweep.h"

namespace ebb::app {

/// The flags, without dashes: of each experiment, and of all together.
inline constexpr std::array<const char*, 5> kBudgetFlags{"budget-kwh", "budget-g", "budget-action",
                                                         "sweep-budget-kwh", "sweep-budget-g"};

/// `flags` over what the file says of each experiment.
Result<core::Budget> ExperimentBudget(const core::Submission& common, const FlagValues& flags);

/// `flags` over what the file says of all experiments together; its action is stop.
Result<core::Budget> WholeBudget(const sweep::Sweep& sweep, const FlagValues& flags);

/// The run that stopped at a limit which `budget` does not raise, and may go on once it does:
/// nullptr when it may go on now.
const core::BudgetEvent* HeldBy(const std::vector<core::BudgetEvent>& events,
                                const core::Budget& budget);

/// What the budget of all experiments said so far, of a sweep without a store.
Result<core::BudgetRecord> ReadSweepBudget(const SweepPaths& paths);

}  // namespace ebb::app
