#pragma once
// What the queue service asks of an executor beside the loop's port: it is given jobs with all that
// a person said of them, and shows what runs. Two of them: programs of this machine
// (supervised_executor.h), objects of a cluster (app/cluster/cluster_jobs.h).
//
// Thread contract: one thread, but for Wake, Now and heartbeat.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "local/local_job.h"
#include "runtime/executor.h"
#include "runtime/heartbeat.h"

namespace ebb::local {

/// What runs, for display.
struct SupervisedFigures {
  core::JobId job = 0;
  int attempt = 1;
  int pool = -1;
  std::vector<int> slots;
  std::vector<std::string> gpus;  ///< the same, as CUDA_VISIBLE_DEVICES names them; empty: CPU
  int program_pid = 0;
  LiveFigures figures;
  bool is_measured = true;     ///< false: nobody knows its figures
  std::string begins_after{};  ///< what has to come before its program begins, as a clause
};

class JobExecutor : public runtime::Executor {
 public:
  /// Makes a job known. An Error: it cannot be one of this executor's.
  virtual Status Add(LocalJob job) = 0;
  /// Of a job that is known: its next attempt is made from this.
  virtual void Replace(std::shared_ptr<const core::Submission> submission) = 0;
  /// Ends a wait now. From any thread.
  virtual void Wake() = 0;
  /// Of the loop that drives this executor: it rests while it waits here.
  virtual runtime::Heartbeat& heartbeat() = 0;
  /// A request to stop came (Ctrl-C, SIGTERM, SIGHUP): its number.
  virtual std::optional<int> stop_signal() const = 0;
  virtual std::vector<SupervisedFigures> Running() const = 0;
};

}  // namespace ebb::local
