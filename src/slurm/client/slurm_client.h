#pragma once
// The port to Slurm. Users: its commands (slurm_commands.h) and slurmrestd (slurm_rest.h).
//
// An Error with kUnavailable: the controller does not answer, and nothing has changed. Other Errors
// say what Slurm refuses.
//
// Thread contract: one thread. Calls block until Slurm has answered.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "slurm/client/slurm_job.h"

namespace ebb::slurm {

/// Changes of one pending job, sent as one request. A member without a value stays as it is.
struct JobUpdate {
  std::string id;
  /// The earliest start. A time in the past: as soon as there is room.
  std::optional<Time> begin;
  std::optional<std::string> comment;
  std::vector<std::string> size{};  ///< words that change its devices (job_size.h)
};

/// A batch script to submit, with sbatch's options ("--gpus=1").
struct BatchJob {
  std::string script;  ///< path of the script
  std::vector<std::string> options;
  std::string directory;
  std::optional<Time> begin{};  ///< the earliest start; nullopt: as soon as there is room
};

class SlurmClient {
 public:
  virtual ~SlurmClient() = default;
  /// The cluster's name and Slurm's version, for people and for keys of jobs: {"ci", "22.05.8"}.
  virtual Result<std::pair<std::string, std::string>> Identity() = 0;
  /// All jobs that the controller remembers: one request, whatever their number.
  virtual Result<std::vector<SlurmJob>> Jobs() = 0;
  /// The pending jobs of one user: one request.
  virtual Result<std::vector<SlurmJob>> PendingJobsOf(const std::string& user) {
    EBB_ASSIGN_OR_RETURN(std::vector<SlurmJob> jobs, Jobs());
    std::erase_if(jobs, [&](const SlurmJob& job) {
      return job.user != user || job.state != JobState::kPending;
    });
    return jobs;
  }
  virtual Result<std::vector<SlurmNode>> Nodes() = 0;
  /// Jobs that the controller has forgotten, as accounting knows their last attempt. Jobs that it
  /// does not know are left out; an Error: there is no accounting.
  virtual Result<std::vector<SlurmJob>> Accounted(const std::vector<std::string>& ids) = 0;
  virtual Result<ControllerLoad> Load() = 0;
  /// Returns the new job's id.
  virtual Result<std::string> Submit(const BatchJob& job) = 0;
  virtual Status Update(const JobUpdate& update) = 0;
  /// Ends the hold of a pending job.
  virtual Status Release(const std::string& id) = 0;
  /// Ends the running job and puts it back into the queue, held.
  virtual Status RequeueHeld(const std::string& id) = 0;
  /// Sends a signal ("USR1") to the batch script and all steps of a running job.
  virtual Status Signal(const std::string& id, const std::string& signal) = 0;
  virtual Status Cancel(const std::string& id) = 0;
};

}  // namespace ebb::slurm
