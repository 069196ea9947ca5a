#pragma once
// Makes the jobs of a Slurm cluster jobs of the queue service, and runs jobs of the service there
// (slurm/slurm_executor.h). A user's job is submitted to the service as a person would do it; so
// the store, the views and the clients are those of every service.
//
// Thread contract: one thread, the loop's, but for Wake, Now and heartbeat.

#include <future>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/slurm/run_ledgers.h"
#include "service/service.h"
#include "slurm/slurm_executor.h"

namespace ebb::app {

/// How jobs of the service become batch scripts.
struct BatchScripts {
  std::string program{};               ///< path of ebb on the nodes
  std::vector<std::string> options{};  ///< options of sbatch for all jobs: "--partition=long"
  /// Options of `ebb slurm run`. The service counts grams by its own signal, so nodes need none
  /// that they have to ask for.
  std::vector<std::string> run_options{};
  bool on_gpus = true;  ///< devices of a job are GPUs; false: cores
};

/// Writes the script of a job into its directory. Only its owner can read it: it has the job's
/// environment.
Result<slurm::BatchJob> WriteBatchScript(const local::LocalJob& job, const BatchScripts& scripts);

class SlurmJobs final : public local::JobExecutor {
 public:
  /// Everything borrowed must outlive this object.
  SlurmJobs(std::unique_ptr<slurm::SlurmClient> client, slurm::SlurmOptions options,
            service::ExecutorPorts ports, const runtime::GridClock& clock,
            platform::ProcessSignals& signals);

  /// Looks at Slurm for the first time. An Error: it does not answer.
  Status Begin() { return executor_.Begin(ports_.before); }
  /// Writes decisions into the comments of their jobs.
  void Tell(const engine::Decision& decision);

  std::string name() const override { return executor_.name(); }
  Time Now() const override { return executor_.Now(); }
  std::optional<engine::ClockSet> TakeClockSet() override { return executor_.TakeClockSet(); }
  core::Cluster cluster() const override { return executor_.cluster(); }
  Result<std::vector<engine::JobReport>> Observe() override { return executor_.Observe(); }
  Status Execute(const engine::Command& command) override { return executor_.Execute(command); }
  Result<std::vector<engine::JobReport>> WaitForEvents(Time deadline) override;
  std::vector<engine::JobReport> TakeEarly() override;
  void Forget(core::JobId job) override;
  Status Add(local::LocalJob job) override;
  void Replace(std::shared_ptr<const core::Submission> submission) override {
    executor_.Replace(std::move(submission));
  }
  void Wake() override { executor_.Wake(); }
  runtime::Heartbeat& heartbeat() override { return executor_.heartbeat(); }
  std::optional<int> stop_signal() const override { return executor_.stop_signal(); }
  std::vector<local::SupervisedFigures> Running() const override { return executor_.Running(); }

 private:
  struct Offer {
    std::string key;
    std::future<Result<service::Answer>> answer;
  };
  slurm::SlurmQueue QueueOf();
  void HearAnswers();
  void EndOldHolds();
  void Follow(const std::vector<engine::JobReport>& reports);

  service::ExecutorPorts ports_;
  struct Change {
    core::JobId job = 0;
    std::future<Result<service::Answer>> answer;
  };
  std::vector<Offer> offers_;    // jobs of users without an answer yet
  std::vector<Change> changes_;  // changes by their owners without an answer yet
  int waits_ = 0;                // calls of WaitForEvents, up to the second
  std::set<core::JobId> known_;  // jobs that have not been forgotten
  slurm::SlurmExecutor executor_;
  RunLedgers ledgers_;
};

}  // namespace ebb::app
