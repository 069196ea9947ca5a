#pragma once
// Sweeps, as submissions bring them: a sweep begins with the first of its experiments, and its
// experiments are followed for successive halving and for the sweep's budget until they end.
//
// Thread contract: the loop's thread.

#include "service/intake/requests.h"
#include "service/sweeps/sweep_budget_watch.h"
#include "service/sweeps/sweep_watch.h"
#include "store/service_store.h"

namespace ebb::service {

class SweepIntake {
 public:
  SweepIntake(store::ServiceStore& store, SweepWatch& halving, SweepBudgetWatch& budgets)
      : store_(store), halving_(halving), budgets_(budgets) {}

  /// Gives the submission the number of its sweep, if it has one. True: the sweep is new, and
  /// becomes durable together with this experiment.
  Result<bool> Begin(Submit& submit, Time now);
  /// Follows an experiment. `begun`: it ran in an earlier life of the service.
  Status Add(const core::Submission& submission, bool begun = false);
  /// The experiment has ended, or was refused.
  void End(core::JobId job);
  Status ChangeBudget(core::SweepId sweep, const core::Budget& budget) {
    return budgets_.Change(sweep, budget);
  }

 private:
  store::ServiceStore& store_;
  SweepWatch& halving_;
  SweepBudgetWatch& budgets_;
};

}  // namespace ebb::service
