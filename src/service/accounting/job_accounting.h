#pragma once
// The accounts of jobs that this machine's executor measures: ledger rows go to the store, and sums
// of them to the views. With meters of the machine it also keeps what no job used.
//
// Thread contract: the loop's thread.

#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "core/ledger/machine_ledger.h"
#include "core/run/run.h"
#include "local/local_job.h"
#include "local/supervised_program.h"
#include "report/run/work_count.h"
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

  /// Readings of an attempt that the store has, so that they are not counted twice. Reads the
  /// ledger if the job has a budget.
  local::StoredBefore StoredBefore(core::JobId job, int attempt);
  bool EndIsStored(core::JobId job, int attempt);
  /// This many events of the job's budget have been followed. Becomes durable together with what
  /// followed from them.
  void HeardOfBudget(core::JobId job, std::size_t events);
  /// FollowMachine will be called, so rows of jobs are kept for it from now on.
  void ExpectMachine() { follows_machine_ = true; }
  /// Jobs are programs of this machine, which report their work in these directories.
  void FollowWork(std::function<std::filesystem::path(core::JobId)> directory_of) {
    directory_of_ = std::move(directory_of);
  }
  /// Calls this at the end of each attempt, once its readings and its work are taken.
  using OnEnd = std::function<void(core::JobId, const core::Attempt&)>;
  void FollowEnds(OnEnd on_end) { on_end_ = std::move(on_end); }
  /// Adds what a machine used. The shares already tell apart jobs and the rest.
  void AddMachine(const core::MachineShares& shares);
  /// Adds readings of the whole machine, and settles the intervals that ended by `upto`: subtracts
  /// what jobs used, and adds the rest to the next commit. True: there were such intervals.
  bool FollowMachine(std::vector<core::MachineShares> readings, Time upto);
  /// The figures of jobs that have new rows since the last call.
  std::map<core::JobId, JobFigures> TakeChanged();
  /// Forgets the sums of a job that has ended and whose rows are stored. If more rows come after
  /// all, its sums are read from the store.
  void Forget(core::JobId job) {
    figures_.erase(job);
    work_.erase(job);
    budget_events_.erase(job);
  }

 private:
  JobFigures& FiguresOf(core::JobId job);
  void ReadWork(core::JobId job);

  store::ServiceStore& store_;
  EventLog& events_;
  OnRows on_rows_;
  Counters& counters_;
  std::map<core::JobId, JobFigures> figures_;
  std::map<core::JobId, std::size_t> budget_events_;  // followed; not durable yet, perhaps
  std::set<core::JobId> changed_;
  std::function<std::filesystem::path(core::JobId)> directory_of_;  // empty: work is not followed
  OnEnd on_end_ = [](core::JobId, const core::Attempt&) {};
  std::map<core::JobId, report::WorkTail> work_;  // jobs that run
  core::MachineLedger machine_;
  bool follows_machine_ = false;
};

}  // namespace ebb::service
