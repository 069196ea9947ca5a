#pragma once
// The executor as the queue service uses it, beyond the loop's port: it gets jobs with their
// complete submissions, and shows running jobs. There are two: programs of this machine
// (supervised_executor.h), objects of a cluster (app/cluster/cluster_jobs.h).
//
// Thread contract: one thread, but for Wake, Now and heartbeat.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/devices/power_cap.h"
#include "local/local_job.h"
#include "runtime/executor.h"
#include "runtime/heartbeat.h"

namespace ebb::local {

/// Figures of a running job, for display.
struct SupervisedFigures {
  core::JobId job = 0;
  int attempt = 1;
  int pool = -1;
  std::vector<int> slots;
  std::vector<std::string> gpus;  ///< names of the same slots, for CUDA_VISIBLE_DEVICES; empty: CPU
  int program_pid = 0;
  LiveFigures figures;
  bool is_measured = true;     ///< false: its figures are unknown
  std::string begins_after{};  ///< condition for the begin of its program, as a clause
  /// For each of `gpus` the power in its latest reading; shorter, or without a value: unknown.
  std::vector<std::optional<Power>> gpu_power{};
  std::optional<core::PowerCap> power_cap{};  ///< limit with which the attempt was started
  /// Part of all the machine's processors that it used in its latest reading; nothing: unknown.
  std::optional<double> cpu_percent{};
  /// The same for each of `gpus`, as gpu_power.
  std::vector<std::optional<double>> gpu_percent{};
};

class JobExecutor : public runtime::Executor {
 public:
  /// Makes a job known. An Error: this executor cannot run it.
  virtual Status Add(LocalJob job) = 0;
  /// Replaces the submission of a known job, from which its next attempt is made.
  virtual void Replace(std::shared_ptr<const core::Submission> submission) = 0;
  /// Ends a wait now. May be called from any thread.
  virtual void Wake() = 0;
  /// Heartbeat of the loop that drives this executor; the loop rests while it waits here.
  virtual runtime::Heartbeat& heartbeat() = 0;
  /// Number of the signal, if a request to stop came (Ctrl-C, SIGTERM, SIGHUP).
  virtual std::optional<int> stop_signal() const = 0;
  virtual std::vector<SupervisedFigures> Running() const = 0;
};

}  // namespace ebb::local
