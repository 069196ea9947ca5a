#pragma once
// The parts of its own store that a service reads, by subject: jobs, their ledgers, sweeps. A view
// shows what was committed; uncommitted writes are not visible in it. It is made for one question
// (ServiceStore::jobs() and its neighbours) and must not outlive its store.
//
// Thread contract: that of the store.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/devices/cluster.h"
#include "core/jobs/estimate.h"
#include "core/ledger/budget.h"
#include "store/accounts/first_come_records.h"
#include "store/accounts/ledger_records.h"
#include "store/jobs/job_notes.h"
#include "store/jobs/job_records.h"
#include "store/jobs/jobs_in_period.h"
#include "store/jobs/sweep_records.h"

namespace ebb::store {

/// The jobs (job_records.h, job_notes.h, job_work.h).
class StoredJobs {
 public:
  explicit StoredJobs(Database& database) : database_(database) {}
  Result<std::optional<JobRecord>> Find(core::JobId job);
  Result<std::optional<core::Submission>> FindSubmission(core::JobId job);
  Result<std::vector<core::Submission>> LiveSubmissions();
  Result<std::vector<AttemptRecord>> AttemptsOf(core::JobId job);
  /// See jobs_in_period.h.
  Result<std::vector<JobSpan>> ThatRan(Interval window);
  Result<bool> EndIsStored(core::JobId job, int attempt);
  Result<JobNotes> NotesOf(core::JobId job);
  Result<core::Work> WorkOf(core::JobId job);
  Result<std::optional<FirstComeRecord>> FindFirstCome(core::JobId job);
  /// See earlier_runs.h.
  Result<std::vector<core::EarlierRun>> EarlierRunsOf(const core::Submission& submission,
                                                      const core::Cluster& cluster);
  /// See ended_sums.h.
  Result<std::vector<core::JobId>> Uncounted(std::size_t limit);

 private:
  Database& database_;
};

/// The ledgers of jobs (ledger_records.h).
class StoredLedgers {
 public:
  explicit StoredLedgers(Database& database) : database_(database) {}
  /// `from`: only rows that end later, on the grid clock.
  Result<std::vector<core::LedgerRow>> RowsOf(core::JobId job, Time from = Time::min());
  Result<LedgerSums> SumsOf(core::JobId job);
  Result<std::map<std::string, Time>> StoredUpTo(core::JobId job, int attempt);

 private:
  Database& database_;
};

/// The sweeps (sweep_records.h).
class StoredSweeps {
 public:
  explicit StoredSweeps(Database& database) : database_(database) {}
  Result<std::optional<SweepRecord>> Find(core::SweepId sweep);
  Result<core::BudgetUse> UseOf(core::SweepId sweep);
  Result<std::vector<core::BudgetEvent>> BudgetEventsOf(core::SweepId sweep);
  Result<std::vector<RungLoss>> RungLossesOf(core::SweepId sweep);

 private:
  Database& database_;
};

}  // namespace ebb::store
