#pragma once
// The executor of this machine: jobs are programs, started by the contract of
// docs/training-program.md, a number of them at a time, each measured and accounted by itself.
//
// A pause is SIGTERM, a grace period, and SIGKILL. What is known of a job is in a file of its run
// directory (job_state.h), so an executor that starts again knows what the last one did. A program
// cannot outlive its executor unmeasured: the kernel asks it to end when the executor dies, and
// what still runs when the next one starts is ended first.
//
// Method of attribution: one meter reads the machine's counters and splits them
// (meter/apportion.h): programs, idle and unattributed add up to the machine.
//
// Thread contract: one thread.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "local/job_state.h"
#include "local/local_job.h"
#include "meter/meters.h"
#include "platform/process_signals.h"
#include "runtime/clock_watch.h"
#include "runtime/executor.h"

namespace ebb::local {

class LocalProgram;
class SharedMachine;

struct LocalExecutorOptions {
  core::Cluster cluster;                       ///< pools of slots
  std::vector<std::vector<std::string>> gpus;  ///< by pool: one name per slot; none: no GPUs
  Duration grace{std::chrono::seconds{30}};    ///< wall time between SIGTERM and SIGKILL
  Duration tick{500};                          ///< wall time between looks at what runs
  meter::MeterOptions meters;
  meter::SamplerOptions sampler;  ///< of the machine; its scope says nothing here
  meter::IdleRule idle = meter::IdleRule::kApart;
  /// How a job stands against its budget (Submission::budget) before an attempt; nothing: it has
  /// none. Its grace period is the executor's. One that was stopped at a limit that is not raised
  /// fails instead of being started.
  std::function<Result<std::optional<runtime::BudgetWatch::Terms>>(core::JobId)> budget =
      [](core::JobId) { return std::optional<runtime::BudgetWatch::Terms>(); };
  /// Asked at every tick; true ends the wait, e.g. because a job shall be cancelled.
  std::function<bool()> on_tick = [] { return false; };
  runtime::ClockWatchOptions clock{};  ///< of the wall clock
};

/// What runs, for display.
struct RunningJob {
  core::JobId job = 0;
  int attempt = 1;
  std::vector<int> slots;
  LiveFigures figures;
};

class LocalExecutor final : public runtime::Executor {
 public:
  /// Everything borrowed must outlive the executor. `feed` is that of the only site.
  LocalExecutor(LocalExecutorOptions options, runtime::SignalFeed& feed, runtime::GridClock& clock,
                platform::ProcessSignals& signals, JobRecords& records);
  /// Ends what still runs.
  ~LocalExecutor() override;

  /// Makes a job known. A program of an earlier executor that still runs is ended here.
  Status Add(LocalJob job);

  std::string name() const override { return "local"; }
  Time Now() const override { return clock_.ToGrid(watch_.Now()); }
  std::optional<engine::ClockSet> TakeClockSet() override;
  core::Cluster cluster() const override { return options_.cluster; }
  Result<std::vector<engine::JobReport>> Observe() override;
  Status Execute(const engine::Command& command) override;
  Result<std::vector<engine::JobReport>> WaitForEvents(Time deadline) override;
  void Forget(core::JobId job) override;

  /// A request to stop came (Ctrl-C, SIGTERM, SIGHUP): its number.
  std::optional<int> stop_signal() const { return stop_signal_; }
  /// Asks everything that runs to end and waits for it: pausable jobs are paused, others start
  /// again from their beginning next time.
  void PauseAll();
  std::vector<RunningJob> Running() const;

 private:
  struct Entry {
    LocalJob local;
    std::optional<JobState> state;  // of the last attempt
    bool forgotten = false;
  };

  Result<Entry*> Find(core::JobId job);
  Status Start(const engine::StartJob& command);
  Status Begin(Entry& entry, const engine::StartJob& command, std::vector<int> slots);
  AttemptOptions AttemptFor(const Entry& entry, const engine::StartJob& command,
                            const std::vector<int>& slots);
  Status RequestEnd(core::JobId job, int attempt, bool cancel);
  void Report(Entry& entry, engine::JobReport report, int pid, std::string identity);
  void LookAtPrograms();
  void TakeEnd(LocalProgram& program);
  SharedMachine& Machine();
  double ReservedBy(const std::vector<int>& slots) const;

  LocalExecutorOptions options_;
  runtime::SignalFeed& feed_;
  runtime::GridClock& clock_;
  platform::ProcessSignals& signals_;
  JobRecords& records_;
  std::map<core::JobId, Entry> entries_;
  std::unique_ptr<SharedMachine> machine_;  // outlives the programs; made for the first one
  std::map<core::JobId, std::unique_ptr<LocalProgram>> programs_;
  std::vector<engine::JobReport> reports_;  // happened, not handed out
  std::optional<int> stop_signal_;
  runtime::ClockWatch watch_;
};

}  // namespace ebb::local
