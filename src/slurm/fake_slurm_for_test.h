#pragma once
// A Slurm controller in memory, for tests: it starts what may start while devices are free,
// requeues and ends jobs as the real one does, and can be away.
//
// Thread contract: one thread.

#include <map>
#include <string>
#include <vector>

#include "runtime/clock.h"
#include "slurm/client/slurm_client.h"

namespace ebb::slurm {

class FakeSlurm {
 public:
  explicit FakeSlurm(const runtime::Clock& clock, int gpus = 8) : clock_(clock), gpus_(gpus) {}

  /// How long the jobs with this name run, and with which exit code they end. Others run for ever.
  void Ends(const std::string& name, Duration after, int exit_code = 0) {
    ends_[name] = {after, exit_code};
  }
  /// A user's job: pending, held if `priority` is 0.
  std::string Queue(const std::string& name, const std::string& comment, double priority = 0,
                    int gpus = 1) {
    SlurmJob job;
    job.id = std::to_string(++last_);
    job.user = "ann";
    job.partitions = {"main"};
    job.priority = priority;
    job.reason = priority > 0 ? "None" : "JobHeldUser";
    job.submitted = Now();
    job.gpus = gpus;
    job.gpus_by = GpusBy::kJob;
    job.gpu_request = "gres:gpu:" + std::to_string(gpus);
    job.name = name;
    job.comment = comment;
    jobs_[job.id] = {job, priority > 0 ? std::optional(Now()) : std::nullopt};
    return job.id;
  }
  SlurmJob& At(const std::string& id) { return jobs_.at(id).job; }
  std::optional<Time> BeginOf(const std::string& id) { return jobs_.at(id).begin; }
  void Drop(const std::string& id) { jobs_.erase(id); }
  void Hold(const std::string& id, bool by_administrator = false) {
    At(id).priority = 0;
    At(id).reason = by_administrator ? "JobHeldAdmin" : "JobHeldUser";
  }
  void Release(const std::string& id) {
    At(id).priority = 1;
    At(id).reason = "None";
  }
  std::size_t size() const { return jobs_.size(); }
  int starts() const { return starts_; }
  int most_running() const { return most_running_; }

  bool is_away = false;
  bool has_accounting = true;
  /// Jobs put themselves back into the queue when they get a signal, as `ebb slurm run` does.
  bool requeues_at_signal = false;
  ControllerLoad load{3, 0};
  int requests = 0, changes = 0;
  int most_by_job = 1'000;             ///< a job with more GPUs waits for ever (a QOS)
  int most_in_a_change = 1'000;        ///< a change to more GPUs, or a submission, is refused
  std::vector<std::string> signals{};  ///< "12 USR1"
  std::vector<std::string> sizes{};    ///< "12 4": job 12 asks for 4 GPUs

  /// A client of this controller. The controller must outlive it.
  std::unique_ptr<SlurmClient> Client();
  /// Lets time act: jobs start and end.
  void Go();

 private:
  friend class FakeSlurmClient;
  struct Known {
    SlurmJob job;
    std::optional<Time> begin;
  };
  struct End {
    Duration after{};
    int exit_code = 0;
  };
  Time Now() const { return std::chrono::floor<std::chrono::milliseconds>(clock_.Now()); }

  const runtime::Clock& clock_;
  int gpus_;
  std::map<std::string, Known> jobs_;
  std::map<std::string, SlurmJob> accounted_;
  std::map<std::string, End> ends_;
  int last_ = 0, starts_ = 0, most_running_ = 0;
};

}  // namespace ebb::slurm
