#pragma once
// Budgets of sweeps (core/ledger/budget.h): what all experiments of a sweep may use together. Use
// is the sum of their ledger rows, so it lags behind by what a row gathers (runtime/accountant.h).
// When the budget is used up, or would be before the next look, all experiments that have not ended
// are held: those that run are paused, and none is started. A larger budget releases them.
//
// Thread contract: the loop's thread.

#include <functional>
#include <map>
#include <set>
#include <span>

#include "local/supervised_executor.h"
#include "runtime/budget_watch.h"
#include "runtime/grid_clock.h"
#include "service/sweeps/job_holder.h"
#include "service/views/event_log.h"
#include "store/service_store.h"

namespace ebb::service {

class SweepBudgetWatch {
 public:
  struct Ports {
    store::ServiceStore& store;
    const runtime::GridClock& clock;
    Pue pue;
    Duration sample_interval{};
    JobHolder& jobs;
    const Publisher& publisher;
    EventLog& events;
  };
  explicit SweepBudgetWatch(Ports ports) : ports_(std::move(ports)) {}

  /// Begins to follow a sweep that is not in the store yet.
  void Begin(const store::SweepRecord& sweep);
  /// Begins to follow an experiment, of this life or an earlier one.
  Status Add(const core::Submission& submission);
  void End(core::JobId job);
  /// Counts new ledger rows of a job.
  void Count(core::JobId job, std::span<const core::LedgerRow> rows);
  /// Judges the budgets of the sweeps of the jobs that run.
  void Look(std::span<const local::SupervisedFigures> running);
  /// Replaces the budget of a known sweep, and releases what its old budget holds. Durable with the
  /// next commit.
  Status Change(core::SweepId id, const core::Budget& budget);

 private:
  struct Watched {
    store::SweepRecord record;
    std::int64_t events = 0;  // in the store
    runtime::BudgetWatch watch;
    core::BudgetUse used{};  // by its experiments since it is followed
    std::optional<Intensity> intensity{};
    std::set<core::JobId> members{};  // experiments that have not ended
    // The attempt in which each experiment was held for this budget. An experiment that a person
    // has released since is in a later attempt, and is held again.
    std::map<core::JobId, int> held{};
  };
  Status TakeUp(core::SweepId id);
  Status Watch(const store::SweepRecord& record, core::BudgetUse used_before);
  void Take(Watched& sweep, const std::vector<core::BudgetEvent>& events);
  std::set<core::JobId> LiveOf(core::SweepId sweep) const;
  void HoldAll(Watched& sweep, const std::map<core::JobId, int>& running);

  Ports ports_;
  std::map<core::SweepId, Watched> sweeps_;  // those with a budget
  std::map<core::JobId, core::SweepId> member_of_;
};

}  // namespace ebb::service
