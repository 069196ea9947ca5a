#pragma once
// The job as the local executor gets it, and the interface for its measured data.

#include <filesystem>
#include <memory>
#include <span>

#include "core/jobs/job.h"
#include "core/jobs/submission.h"
#include "core/ledger/ledger.h"
#include "core/run/run.h"
#include "local/process/measured_process.h"

namespace ebb::local {

/// A job as the executor needs it. If the working directory is empty, the executor's own is used;
/// the contract's variables override the submission's environment.
struct LocalJob {
  std::shared_ptr<const core::Submission> submission;  ///< shared with the queue's readers
  std::filesystem::path directory;                     ///< directory of the run

  const core::Job& job() const { return submission->job; }
};

/// Stores measured data.
class JobRecords {
 public:
  virtual ~JobRecords() = default;
  /// After an Error the rows are offered again with the next ones.
  virtual Status Rows(core::JobId job, std::span<const core::LedgerRow> rows) = 0;
  virtual void End(core::JobId job, const AttemptResult& result) = 0;
};

}  // namespace ebb::local
