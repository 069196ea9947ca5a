#pragma once
// What the experiments of a sweep may use together (core/budget.h). It is counted from the rows
// that they are charged, so it lags behind by what a row gathers (runtime/accountant.h). When it is
// used up, or would be before the next look, everything of the sweep that has not ended is held:
// what runs is paused, and nothing more of it is started. A larger budget lets go what is held for
// it.
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

  /// A sweep of which nothing is durable yet.
  void Begin(const store::SweepRecord& sweep);
  /// One of its experiments, of this life or an earlier one.
  Status Add(const core::Submission& submission);
  void End(core::JobId job);
  /// An experiment was charged these.
  void Count(core::JobId job, std::span<const core::LedgerRow> rows);
  /// At what runs: whether a budget is used up.
  void Look(std::span<const local::SupervisedFigures> running);
  /// Of a sweep that is known: from now on. Durable with the next commit.
  Status Change(core::SweepId id, const core::Budget& budget);

 private:
  struct Watched {
    store::SweepRecord record;
    std::int64_t events = 0;  // that are stored
    runtime::BudgetWatch watch;
    core::BudgetUse used{};  // since it is watched
    std::optional<Intensity> intensity{};
    std::set<core::JobId> members{};  // that have not ended
    // For this budget, in which attempt; one that a person has let go since is held again.
    std::map<core::JobId, int> held{};
  };
  Status TakeUp(core::SweepId id);
  Status Watch(const store::SweepRecord& record, core::BudgetUse used_before);
  void Take(Watched& sweep, const std::vector<core::BudgetEvent>& events);
  std::set<core::JobId> LiveOf(core::SweepId sweep) const;
  void HoldAll(Watched& sweep, const std::map<core::JobId, int>& running);

  Ports ports_;
  std::map<core::SweepId, Watched> sweeps_;  // with a budget
  std::map<core::JobId, core::SweepId> member_of_;
};

}  // namespace ebb::service
