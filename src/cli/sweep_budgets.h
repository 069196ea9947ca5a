#pragma once
// What the experiments of `ebb sweep run` may use, and each of them (core/budget.h): read from the
// sweep file and the flags that go over it, kept with the sweep, and what a sweep that is continued
// makes of it.

#include <array>
#include <span>

#include "base/result.h"
#include "cli/run_options.h"
#include "cli/sweep_halving.h"
#include "runtime/budget_watch.h"
#include "sweep/sweep.h"

namespace ebb::cli {

/// The flags, without dashes: of each experiment, and of all together.
inline constexpr std::array<const char*, 5> kBudgetFlags{"budget-kwh", "budget-g", "budget-action",
                                                         "sweep-budget-kwh", "sweep-budget-g"};

/// `flags` over what the file says of each experiment.
Result<core::Budget> ExperimentBudget(const sweep::JobTraits& traits, const FlagValues& flags);

/// What `flags` say of all experiments together; its action is stop.
Result<core::Budget> WholeBudget(const FlagValues& flags);

/// The run that stopped at a limit which `budget` does not raise, and may go on once it does:
/// nullptr when it may go on now.
const core::BudgetEvent* HeldBy(const std::vector<core::BudgetEvent>& events,
                                const core::Budget& budget);

/// Of a sweep that is continued: experiments that were paused by their budget wait for a larger one
/// and go on with it.
Status HoldOrRelease(const SweepPaths& paths, const sweep::Sweep& sweep, const core::Budget& budget,
                     const engine::State& state, SweepSubmissions& submissions);

/// What all experiments of a sweep use together. Counted from the ledger rows that are kept, so it
/// lags behind by what a row gathers (runtime/accountant.h).
class SweepBudget {
 public:
  struct Terms {
    core::Budget budget;  ///< not empty
    Pue pue;
    Duration sample_interval{};
  };
  /// Counts what is kept, and keeps the limits. An Error: a limit that is not raised stopped it.
  static Result<SweepBudget> Open(const SweepPaths& paths, const sweep::Sweep& sweep, Terms terms,
                                  SweepRecords::Say say);

  /// Rows that have been kept.
  void Add(std::span<const core::LedgerRow> rows);
  /// `power`: of everything that runs, without PUE.
  void Look(Power power, const runtime::GridClock& clock);
  /// Nothing is to be started any more, and what runs is to end.
  bool used_up() const { return watch_.asked_to_end(); }

 private:
  SweepBudget(std::filesystem::path file, runtime::BudgetWatch::Terms terms, SweepRecords::Say say);
  const std::filesystem::path file_;
  SweepRecords::Say say_;
  runtime::BudgetWatch watch_;
  core::BudgetUse used_;  // since it was opened
  std::optional<Intensity> intensity_;
};

/// What the budget of all experiments said so far.
Result<core::BudgetRecord> ReadSweepBudget(const SweepPaths& paths);

}  // namespace ebb::cli
