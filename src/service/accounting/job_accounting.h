#pragma once
// Keeps what the executor measures: ledger rows go to the store, and sums are there for the views.

#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "core/machine_ledger.h"
#include "core/run.h"
#include "local/local_job.h"
#include "local/supervised_program.h"
#include "service/views/counters.h"
#include "service/views/event_log.h"
#include "service/views/figures.h"
#include "store/service_store.h"

namespace ebb::service {

class JobAccounting final : public local::JobRecords {
 public:
  using OnRows = std::function<void(core::JobId, std::span<const core::LedgerRow>)>;
  JobAccounting(store::ServiceStore& store, EventLog& events, OnRows on_rows, Counters& counters)
      : store_(store), events_(events), on_rows_(std::move(on_rows)), counters_(counters) {}

  Status Rows(core::JobId job, std::span<const core::LedgerRow> rows) override;
  void End(core::JobId job, const local::AttemptResult& result) override;

  /// What is in the store of a job and its attempt.
  local::StoredBefore StoredBefore(core::JobId job, int attempt);
  bool EndIsStored(core::JobId job, int attempt);
  /// Of its budget's events so many have been heard. Becomes durable together with what follows
  /// from them.
  void HeardOfBudget(core::JobId job, std::size_t events);
  /// From now on FollowMachine is called: rows of jobs are kept for it.
  void ExpectMachine() { follows_machine_ = true; }
  /// What machines used, jobs included, that is settled.
  void AddMachine(const core::MachineShares& shares);
  /// What was read of the machine; what ended by `upto` is settled, and stored with what is next.
  /// Whether there was any.
  bool FollowMachine(std::vector<core::MachineShares> readings, Time upto);
  /// Of jobs with new rows since the last call.
  std::map<core::JobId, JobFigures> TakeChanged();
  /// It has ended, and its rows are stored: they are summed up anew if there are more after all.
  void Forget(core::JobId job) {
    figures_.erase(job);
    budget_events_.erase(job);
  }

 private:
  JobFigures& FiguresOf(core::JobId job);

  store::ServiceStore& store_;
  EventLog& events_;
  OnRows on_rows_;
  Counters& counters_;
  std::map<core::JobId, JobFigures> figures_;
  std::map<core::JobId, std::size_t> budget_events_;  // heard; may not be stored yet
  std::set<core::JobId> changed_;
  core::MachineLedger machine_;
  bool follows_machine_ = false;
};

}  // namespace ebb::service
