#pragma once
// What the local executor is given of a job, and where it puts what it measures.

#include <filesystem>
#include <memory>
#include <span>

#include "core/job.h"
#include "core/ledger.h"
#include "core/run.h"
#include "core/submission.h"
#include "local/measured_process.h"

namespace ebb::local {

/// What the executor has to know of a job to run it.
/// An empty working directory is the executor's own; the contract's variables go over the
/// submission's environment.
struct LocalJob {
  std::shared_ptr<const core::Submission> submission;  ///< the queue's readers hold it too
  std::filesystem::path directory;                     ///< the run's

  const core::Job& job() const { return submission->job; }
};

/// Keeps what is measured (the run directory of report/). An Error in Begin keeps the program from
/// running.
class JobRecords {
 public:
  virtual ~JobRecords() = default;
  virtual Status Begin(core::JobId job, const core::Attempt& attempt) = 0;
  virtual Status Rows(core::JobId job, std::span<const core::LedgerRow> rows) = 0;
  virtual void End(core::JobId job, const AttemptResult& result) = 0;
  /// The budget of the job said something; what has to follow is done already, but for what ends
  /// with BudgetAction::kPause: whoever hears it holds the job.
  virtual void OnBudget(core::JobId, const core::BudgetEvent&) {}
  /// What the machine used while jobs ran and none of them did: devices "idle:..." and
  /// "unattributed:...", attempt 0. On an Error the rows are offered again with the next ones.
  virtual Status MachineRows(std::span<const core::LedgerRow> rows) = 0;
};

}  // namespace ebb::local
