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

/// Keeps what is measured.
class JobRecords {
 public:
  virtual ~JobRecords() = default;
  /// On an Error the rows are offered again with the next ones.
  virtual Status Rows(core::JobId job, std::span<const core::LedgerRow> rows) = 0;
  virtual void End(core::JobId job, const AttemptResult& result) = 0;
};

}  // namespace ebb::local
