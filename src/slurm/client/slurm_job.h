#pragma once
// Jobs, nodes and the controller as Slurm reports them. Values only.

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace ebb::slurm {

/// States of a job, as far as they make a difference here.
enum class JobState {
  kPending,
  kRunning,     ///< has its nodes: also while they boot, and while a job is suspended
  kCompleting,  ///< its processes are being ended
  kCompleted,
  kCancelled,
  kFailed,  ///< every other end: failed, timeout, out of memory, node failure, preempted, deadline
};

/// True for kCompleted, kCancelled and kFailed.
inline bool HasEnded(JobState state) { return state >= JobState::kCompleted; }

/// How a job asks for its GPUs: in all, for each of its nodes, or for each of its tasks.
enum class GpusBy { kNone, kJob, kNode, kTask };

struct SlurmJob {
  /// The id that Slurm's commands take: "12", of an array's element "12_3", of a component of a
  /// heterogeneous job "12+1".
  std::string id;
  std::string leader;  ///< id of the heterogeneous job's first component; empty: no such job
  std::string user, account, qos;
  std::vector<std::string> partitions;  ///< partitions that it may run in
  JobState state = JobState::kPending;
  std::string state_text;  ///< Slurm's word: "TIMEOUT"
  std::string reason;      ///< Slurm's word or sentence: "BeginTime"
  double priority = 0;     ///< 0: held
  Time submitted{};
  std::optional<Time> start;  ///< of a running job; of a pending one its begin time or an estimate
  std::optional<Time> end;
  std::optional<Duration> time_limit;
  int nodes = 1, cores = 1, tasks = 1;
  int gpus = 0;            ///< all its GPUs together
  std::string gpu_type{};  ///< type that it asks for; empty: any
  GpusBy gpus_by = GpusBy::kNone;
  std::string gpu_request{};  ///< request of its GPUs as Slurm has it: "gres:gpu:a100:2"
  bool has_dependency = false, has_reservation = false;
  int restarts = 0;
  int exit_code = 0;
  std::string host{};       ///< node of its batch script, once it runs
  std::string directory{};  ///< working directory of its script
  /// The job's own number, which its programs know it by (SLURM_JOB_ID): "14" for an array's
  /// element "12_3".
  std::string number{};
  std::string name, comment;

  /// Held by its owner or by an administrator, or requeued in held state.
  bool is_held() const { return state == JobState::kPending && priority <= 0; }
  /// Only an administrator may release it.
  bool is_held_by_administrator() const { return is_held() && reason == "JobHeldAdmin"; }
  friend bool operator==(const SlurmJob&, const SlurmJob&) = default;
};

struct SlurmNode {
  std::string name;
  std::vector<std::string> partitions;
  bool is_up = false;    ///< takes jobs, or is powered down and would be started for one
  bool is_away = false;  ///< does not answer, is drained or down: nobody knows until when
  int cores = 0, used_cores = 0;
  int gpus = 0, used_gpus = 0;
  std::string gpu_type{};  ///< "a100"; empty: no GPUs, or without a type
  friend bool operator==(const SlurmNode&, const SlurmNode&) = default;
};

/// How busy the controller is (sdiag).
struct ControllerLoad {
  int threads = 0;          ///< requests that it works on
  int messages_queued = 0;  ///< messages to nodes that wait to be sent
  friend bool operator==(const ControllerLoad&, const ControllerLoad&) = default;
};

}  // namespace ebb::slurm
