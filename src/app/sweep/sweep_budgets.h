#pragma once
// The budgets of the experiments of `ebb sweep run`, for each experiment and for all together
// (core/ledger/budget.h). They are read from the sweep file and the flags that override it, stored
// with the sweep, and applied when a sweep is continued.

#include <array>

#include "app/options/run_options.h"
#include "app/sweep/sweep_paths.h"
#include "base/result.h"
#include "core/ledger/budget.h"
#include "sweep/sweep.h"

namespace ebb::app {

/// The flags, without dashes: the first ones for each experiment, the others for all experiments
/// together.
inline constexpr std::array<const char*, 5> kBudgetFlags{"budget-kwh", "budget-g", "budget-action",
                                                         "sweep-budget-kwh", "sweep-budget-g"};

/// The budget of each experiment: `flags` override the file.
Result<core::Budget> ExperimentBudget(const core::Submission& common, const FlagValues& flags);

/// The budget of all experiments together: `flags` override the file. Its action is stop.
Result<core::Budget> WholeBudget(const sweep::Sweep& sweep, const FlagValues& flags);

/// The event that stopped the run at a limit which `budget` does not raise; nullptr if the run may
/// go on now.
const core::BudgetEvent* HeldBy(const std::vector<core::BudgetEvent>& events,
                                const core::Budget& budget);

/// The budget events so far of all experiments together, for a sweep without a store.
Result<core::BudgetRecord> ReadSweepBudget(const SweepPaths& paths);

}  // namespace ebb::app
