#pragma once
// What the local executor is given of a job, and where it puts what it measures.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/budget.h"
#include "core/job.h"
#include "core/ledger.h"
#include "core/power_cap.h"
#include "core/run.h"
#include "core/tracking.h"
#include "local/measured_process.h"

namespace ebb::local {

/// What the executor has to know of a job to run it.
struct LocalJob {
  core::Job job;
  std::vector<std::string> command;
  std::filesystem::path directory;  ///< the run's
  std::string working_directory{};  ///< empty: the executor's own
  /// On top of the executor's own; the contract's variables go over both.
  std::vector<std::pair<std::string, std::string>> environment{};
  std::optional<core::PowerCap> power_cap{};  ///< of each of its GPUs
  std::optional<Duration> run_limit{};        ///< on the grid clock: longer than this has failed
  core::Budget budget{};      ///< over all attempts; for the executor of the service
  core::Tracking tracking{};  ///< the same
};

/// Keeps what is measured (the run directory of report/). An Error in Begin keeps the program from
/// running.
class JobRecords {
 public:
  virtual ~JobRecords() = default;
  virtual Status Begin(core::JobId job, const core::Attempt& attempt) = 0;
  virtual Status Rows(core::JobId job, std::span<const core::LedgerRow> rows) = 0;
  virtual void End(core::JobId job, const AttemptResult& result) = 0;
  /// What the machine used while jobs ran and none of them did: devices "idle:..." and
  /// "unattributed:...", attempt 0. On an Error the rows are offered again with the next ones.
  virtual Status MachineRows(std::span<const core::LedgerRow> rows) = 0;
};

}  // namespace ebb::local
