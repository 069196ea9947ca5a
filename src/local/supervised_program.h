#pragma once
// One attempt under its supervisor, as the service sees it: watched, asked to end, and accounted as
// its readings come in. Private to local/.

#include <functional>
#include <map>
#include <memory>

#include "local/device_register.h"
#include "local/files/attempt_files.h"
#include "local/local_job.h"
#include "local/process/job_budget.h"
#include "local/supervisor/ending.h"
#include "platform/detached_process.h"
#include "platform/process_table.h"
#include "runtime/accountant.h"
#include "runtime/clock_watch.h"

namespace ebb::local {

/// By device: the end of the last stored interval. Earlier readings are not taken again.
using StoredUpTo = std::map<std::string, Time>;

/// Data of a job that an earlier life of the service stored.
struct StoredBefore {
  StoredUpTo up_to;               ///< for this attempt
  core::BudgetUse used;           ///< use by all attempts
  std::size_t budget_events = 0;  ///< number of the job's budget events that were heard
};

class SupervisedProgram {
 public:
  /// `watch`: nothing if the supervisor has ended already. The feed, the clock and the records must
  /// outlive the program.
  SupervisedProgram(LocalJob job, AttemptPlan plan, std::optional<platform::ProcessWatch> watch,
                    Pue pue, runtime::SignalFeed& feed, const runtime::GridClock& clock,
                    JobRecords& records, StoredBefore stored,
                    runtime::ClockWatchOptions clock_watch = {});

  const LocalJob& job() const { return job_; }
  const AttemptPlan& plan() const { return plan_; }
  const std::optional<platform::ProcessWatch>& watch() const { return watch_; }
  LiveFigures figures() const;
  /// For each GPU of the plan the power in its latest reading; no value before there is one.
  std::vector<std::optional<Power>> gpu_power() const;
  /// For each GPU of the plan its utilisation in its latest reading, in percent, likewise.
  std::vector<std::optional<double>> gpu_percent() const;
  /// Part of the machine's processors that it used in its latest reading, in percent.
  std::optional<double> cpu_percent() const { return tail_.utilisation_of(""); }
  /// Wall time since the attempt began; zero while it is not known to run at its site.
  Duration Ran() const;
  /// The program's process; 0 while it is unknown, or runs on another machine.
  int program_pid() const {
    return tail_.header() && !is_elsewhere() ? tail_.header()->program_pid : 0;
  }
  /// The attempt runs on another machine, and its supervisor here follows the one there.
  bool is_elsewhere() const { return plan_.place.has_value(); }
  /// The attempt's follower has gone without an end, so nobody here knows what the attempt does:
  /// another one must follow it before the end can be taken.
  bool NeedsFollower() const { return is_elsewhere() && HasEnded() && !end_; }
  /// The new follower of such an attempt.
  void Watch(std::optional<platform::ProcessWatch> watch);

  /// Tells that the supervisor has ended.
  bool HasEnded() const { return !watch_ || watch_->HasEnded(); }
  /// Takes the readings since the last call and hands them on.
  void Tick();
  /// Budget events that the supervisors of the job have written since the last call.
  std::vector<core::BudgetEvent> TakeBudgetEvents();
  /// Number of events that any life of the service has taken.
  std::size_t budget_events_heard() const { return budget_events_heard_; }
  /// Asks the program to end. The first request explains the end, unless a cancellation follows.
  /// Does nothing once the program has ended, whether or not that is reported yet.
  void AskToEnd(EndRequest request);
  /// Ends the grace period of a program that was asked to end.
  void Hurry() const;
  /// Sends SIGSTOP or SIGCONT to the program.
  void Freeze(bool frozen);
  /// Asks the kernel if the program is stopped.
  bool IsFrozen() const;

  /// The work left before the end of the attempt can be taken.
  enum class Rest {
    kNothing,
    kReadings,   ///< more readings exist than are taken at once
    kProcesses,  ///< the supervisor was killed, and processes still run
    kFollower,   ///< see NeedsFollower
  };
  /// Call it repeatedly after HasEnded: takes a part of the readings, and ends processes that a
  /// killed supervisor left running. Never waits.
  Rest Settle();
  /// Time after which Settle is worth calling again. Nothing: the supervisor has not ended.
  std::optional<Duration> SettleAfter() const;
  /// Reports, once, that processes do not end although they were killed.
  std::optional<std::string> TakeTrouble();
  /// Call it after Settle said kNothing: stores the end, and returns what it means. `warnings` are
  /// further remarks on it. The caller sets the time of the end (JobReport::since).
  engine::JobReport TakeEnd(std::vector<std::string> warnings = {});
  /// Faults of its GPUs so far.
  std::vector<DeviceFault> Faults() const;
  /// The power limit that the attempt has found, once; nothing before it is written down.
  std::optional<core::PowerChoice> TakePowerChoice();
  /// Use of its devices, after TakeEnd; nothing if it is unknown, or somebody ended the program.
  const std::optional<DeviceUse>& use() const { return use_; }

 private:
  bool ProgramIsGone() const;
  std::optional<Duration> SinceBoot() const;
  std::optional<std::string> TakeTroubleThere();
  void FollowClock();
  void WatchBudget();
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
  std::optional<runtime::ClockWatch> readings_clock_;  // set while readings come in
  std::vector<core::LedgerRow> unkept_;
  std::string unkept_why_;
  std::size_t budget_events_heard_;
  std::optional<EndRequest> end_request_;
  std::optional<std::chrono::steady_clock::time_point> asked_at_;
  Rest rest_ = Rest::kReadings;
  std::optional<AttemptEnd> end_;
  std::string why_not_believed_;  // reason if an existing end is not believed
  std::optional<Ending> orphan_;  // set if the supervisor ended without an end
  bool trouble_was_said_ = false;
  std::string trouble_there_;  // why its site cannot be reached, as it was said last
  bool power_choice_taken_ = false;
  std::optional<DeviceUse> use_;
  std::optional<JobBudget> budget_;  // set if it is watched here, not by the supervisor
};

/// True if the budget cannot be watched at another site: only the service knows the intensity of
/// the site's grid.
inline bool IsWatchedHere(const core::Budget& budget) { return budget.emissions.has_value(); }

/// The kind of a job, by which similar uses of devices are compared: its sweep, recurring job or
/// program.
std::string KindOf(const core::Submission& submission);

}  // namespace ebb::local
