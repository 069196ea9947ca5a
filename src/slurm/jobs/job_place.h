#pragma once
// Where a process is in a Slurm job, from the environment that Slurm gives it, and where the runs
// of that job are kept. Pure.
//
//   DIR/job.json                which job it is
//   DIR/checkpoints             the same for all attempts
//   DIR/attempt-2/n1            the run directory of the second attempt on node n1
//   DIR/attempt-2/n1.task-1     that of the second task on this node

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ebb::slurm {

struct JobPlace {
  std::string job;      ///< SLURM_JOB_ID
  std::string requeue;  ///< the id by which the job is requeued as a whole
  std::string cluster;  ///< empty: unknown
  std::string name;     ///< the job's name; empty: unknown
  std::string node;     ///< Slurm's name of this node
  std::string submitted_from;
  int attempt = 1;  ///< restarts and one
  /// The number of this task in its step, and on this node. The batch script has both 0.
  int task = 0, task_on_node = 0;
  int tasks = 1;  ///< tasks of the step; 1 for the batch script
  /// GPUs that Slurm gave this attempt, on nodes that are alike; cores without GPUs; 0: unknown.
  int devices = 0;

  friend bool operator==(const JobPlace&, const JobPlace&) = default;
};

/// Nothing if Slurm has not started this process.
std::optional<JobPlace> FindJobPlace(const std::function<const char*(const char* name)>& variable);

/// Variables that tell a program how wide this attempt is: EBB_DEVICES, and SLURM_GPUS, which keeps
/// the number of the job's submission otherwise. srun would ask for as many.
std::vector<std::pair<std::string, std::string>> WidthVariables(
    const JobPlace& place, const std::function<const char*(const char* name)>& variable);

/// The default folder of a job: SUBMITTED_FROM/.ebb/slurm-12.
std::filesystem::path JobFolder(const std::filesystem::path& submitted_from,
                                const std::string& job);
std::filesystem::path CheckpointFolder(const std::filesystem::path& job_folder);
std::filesystem::path AttemptFolder(const std::filesystem::path& job_folder, int attempt);
/// The place of the run directory of this task. `steps_before`: runs that earlier steps of this
/// attempt have left at it.
std::filesystem::path RunFolder(const std::filesystem::path& job_folder, const JobPlace& place,
                                int steps_before);

std::filesystem::path JobFile(const std::filesystem::path& job_folder);

/// Reads the names of an attempt's folder and of a run's folder back.
std::optional<int> AttemptOfFolder(const std::string& name);
std::string NodeOfFolder(const std::string& name);

}  // namespace ebb::slurm
