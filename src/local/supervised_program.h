#pragma once
// One attempt under its supervisor, as the service sees it: watched, asked to end, and accounted as
// its readings come in. Private to local/.

#include <functional>
#include <map>
#include <memory>

#include "local/attempt_files.h"
#include "local/device_register.h"
#include "local/ending.h"
#include "local/local_job.h"
#include "platform/detached_process.h"
#include "platform/process_table.h"
#include "runtime/accountant.h"
#include "runtime/clock_watch.h"

namespace ebb::local {

/// By device: the end of the last interval that is stored. Readings up to there are not taken
/// again.
using StoredUpTo = std::map<std::string, Time>;

/// What an earlier life of the service stored of a job.
struct StoredBefore {
  StoredUpTo up_to;               ///< of the attempt
  core::BudgetUse used;           ///< by all attempts
  std::size_t budget_events = 0;  ///< of the job that were heard
};

class SupervisedProgram {
 public:
  /// `watch`: nothing when the supervisor has ended already. The feed, the clock and the records
  /// must outlive the program.
  SupervisedProgram(LocalJob job, AttemptPlan plan, std::optional<platform::ProcessWatch> watch,
                    Pue pue, runtime::SignalFeed& feed, const runtime::GridClock& clock,
                    JobRecords& records, StoredBefore stored,
                    runtime::ClockWatchOptions clock_watch = {});

  const LocalJob& job() const { return job_; }
  const AttemptPlan& plan() const { return plan_; }
  const std::optional<platform::ProcessWatch>& watch() const { return watch_; }
  LiveFigures figures() const;
  /// The program's process; 0 before it is known.
  int program_pid() const { return tail_.header() ? tail_.header()->program_pid : 0; }

  /// The supervisor is gone.
  bool HasEnded() const { return !watch_ || watch_->HasEnded(); }
  /// Takes in what was measured since the last call and hands it on.
  void Tick();
  /// What the supervisors of the job have written of its budget since the last call.
  std::vector<core::BudgetEvent> TakeBudgetEvents();
  /// All that were taken, by any life of the service.
  std::size_t budget_events_heard() const { return budget_events_heard_; }
  /// The first request explains the end, but for a cancellation. Nothing happens once the program
  /// has ended, whether or not that is reported yet.
  void AskToEnd(EndRequest request);
  /// The grace period of what was asked to end is over.
  void Hurry() const;
  /// SIGSTOP and SIGCONT for the program.
  void Freeze(bool frozen);
  /// As the kernel has it.
  bool IsFrozen() const;

  /// What keeps the end of the attempt from being taken.
  enum class Rest {
    kNothing,
    kReadings,   ///< more was measured than is taken in at a time
    kProcesses,  ///< its supervisor was killed, and something of it still runs
  };
  /// After HasEnded, again and again: takes in a part of what was measured, and ends what a killed
  /// supervisor left running. Never waits.
  Rest Settle();
  /// When Settle is worth calling again. Nothing: it has not ended.
  std::optional<Duration> SettleAfter() const;
  /// Said once: it does not end although it was killed.
  std::optional<std::string> TakeTrouble();
  /// After Settle said kNothing: stores how it ended, and says what that means. `warnings`: what
  /// else there is to say of it. When it ended (JobReport::since) is the caller's to say.
  engine::JobReport TakeEnd(std::vector<std::string> warnings = {});
  /// What went wrong with its GPUs so far.
  std::vector<DeviceFault> Faults() const;
  /// After TakeEnd: how it used its devices; nothing where it is not known, or somebody ended it.
  const std::optional<DeviceUse>& use() const { return use_; }

 private:
  bool ProgramIsGone() const;
  void FollowClock();
  void Account(std::vector<core::EnergyReading> readings);
  void Explain(const core::BudgetEvent& event);
  void Store(std::vector<core::LedgerRow> rows);
  AttemptResult ResultOf(const std::optional<AttemptEnd>& end) const;
  engine::JobReport ReportOf(const std::optional<AttemptEnd>& end) const;
  void ReportEnd(const AttemptEnd& end, engine::JobReport& report) const;
  void GoOn(engine::JobReport& report, const std::string& how) const;
  bool LeftCheckpoint() const;

  LocalJob job_;
  AttemptPlan plan_;
  AttemptPaths paths_;
  std::optional<platform::ProcessWatch> watch_;
  const runtime::GridClock& clock_;
  JobRecords& records_;
  StoredUpTo stored_;
  EnergyTail tail_;
  runtime::Accountant accountant_;
  runtime::ClockWatchOptions watch_options_;
  std::optional<runtime::ClockWatch> readings_clock_;  // while they come in
  std::vector<core::LedgerRow> unkept_;
  std::string unkept_why_;
  std::size_t budget_events_heard_;
  std::optional<EndRequest> end_request_;
  std::optional<std::chrono::steady_clock::time_point> asked_at_;
  Rest rest_ = Rest::kReadings;
  std::optional<AttemptEnd> end_;
  std::string why_not_believed_;  // of an end that is there
  std::optional<Ending> orphan_;  // once its supervisor is gone and has not said how it ended
  bool trouble_was_said_ = false;
  std::optional<DeviceUse> use_;
};

/// What its attempts use devices for, as far as the like of it goes: a sweep, a recurring job, a
/// program.
std::string KindOf(const core::Submission& submission);

}  // namespace ebb::local
