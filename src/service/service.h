#pragma once
// The queue service: the engine, its store, and the programs of this machine, run by the one loop
// (runtime/run_loop.h). It may be killed at any moment: programs go on under their supervisors, and
// the next life finds every job, every decision and every joule.
//
// Trouble: when the store cannot be written (disk full, ...) nothing is started and nothing is
// taken, what runs goes on and is measured, and the service tries again until it can.
//
// Thread contract: Open, Run and the destructor on one thread; Ask..., view and WaitForNewer from
// any.

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "core/device_history.h"
#include "local/supervised_executor.h"
#include "plan/make_policy.h"
#include "plan/policy.h"
#include "platform/file_lock.h"
#include "service/accounting/first_come_watch.h"
#include "service/accounting/machine_watch.h"
#include "service/accounting/outside_metering.h"
#include "service/accounting/settlement_queue.h"
#include "service/devices/device_inventory.h"
#include "service/intake/request_intake.h"
#include "service/planning/decision_pace.h"
#include "service/planning/plan_thread.h"
#include "service/pruner.h"

namespace ebb::service {

/// What the service gives to an executor of its owner's making.
struct ExecutorPorts {
  core::Cluster before;  ///< of an earlier life: its pools keep their numbers
  /// As Service::Ask, also before Run.
  std::function<std::future<Result<Answer>>(Request)> ask;
  /// The newest one, as readers see it.
  std::function<std::shared_ptr<const View>()> view;
  /// For readers, with the next view.
  std::function<void(std::vector<BudgetView>)> show_budgets;
  /// Where it puts what it measures. Jobs that have ended are settled when it says that all of them
  /// is there. Outlives the executor.
  OutsideMetering* metering = nullptr;
};

inline constexpr Duration kDefaultKeep = std::chrono::hours{365 * 24};

struct ServiceOptions {
  std::filesystem::path store;
  /// One run directory for each job lies in it, named by its id.
  std::filesystem::path jobs_directory;
  std::string policy = "planner";
  plan::PolicyOptions policy_options{};
  /// What policy_options were made of, for those who make them again.
  std::string price_file{};
  double price_weight = 0;
  Time priced_from{};
  engine::Options engine;
  /// Where somebody chose it: the store is refused where it belongs to another start.
  std::optional<Time> grid_start;
  local::SupervisedExecutorOptions executor;
  DeviceOptions devices;
  /// Where jobs are not programs of this machine: what runs them. Of `executor` only the site and
  /// the tolerance of the clock count then, and of `devices` and `machine_meters` nothing.
  std::function<Result<std::unique_ptr<local::JobExecutor>>(ExecutorPorts)> make_executor;
  /// Meters of the whole machine, but for GPUs; empty: what no job uses is not measured.
  std::function<meter::MeterSet()> machine_meters;
  Duration machine_interval{std::chrono::seconds{10}};      ///< between their samples
  Duration machine_settles_after{std::chrono::minutes{3}};  ///< rows of jobs are there by then
  /// Jobs that have ended beyond these are in the store only: readers find them there, and up to
  /// as many again are kept in memory.
  std::size_t ended_in_view = 2000;
  /// Since they ended, on the grid clock: so long the ledger and the folder of jobs are kept;
  /// nothing: for ever. Their rows and all sums stay.
  std::optional<Duration> keep = kDefaultKeep;
  Duration prune_every{std::chrono::minutes{10}};  ///< when none was old enough, in wall time
  /// The end of a job is stored. On the loop's thread; must not wait.
  std::function<void(core::JobId)> on_ended = [](core::JobId) {};
  /// What was decided is stored. On the loop's thread.
  std::function<void(const engine::Decision&)> on_decision = [](const engine::Decision&) {};
  /// Energy or emissions of a job have changed, or what it saved is known. On the loop's thread.
  std::function<void(const JobCard&)> on_figures = [](const JobCard&) {};
  /// What the one who looks after the machine should know. On the loop's thread.
  std::function<void(const std::string&)> log = [](const std::string&) {};
  Duration trouble_retry{1000};  ///< wall time between tries to write the store again
  /// What is asked of it before it runs is all: it ends once nothing is left that could run. Jobs
  /// that are held are left.
  bool until_idle = false;
  /// What runs when it is asked to stop is paused, and waited for.
  bool pause_at_stop = false;
};

class Service {
 public:
  /// Everything borrowed must outlive the service.
  static Result<std::unique_ptr<Service>> Open(ServiceOptions options, runtime::SignalFeed& feed,
                                               runtime::GridClock& clock,
                                               platform::ProcessSignals& signals);
  ~Service();

  /// Until a request to stop comes (SIGTERM, Ctrl-C): its signal number; what runs goes on. 0: it
  /// was idle (ServiceOptions::until_idle).
  Result<int> Run();

  std::future<Result<Answer>> Ask(Request request) {
    LookUp({&request, 1});
    return inbox_.Ask(std::move(request));
  }
  std::vector<std::future<Result<Answer>>> AskAll(std::vector<Request> requests) {
    LookUp(requests);
    return inbox_.AskAll(std::move(requests));
  }
  std::shared_ptr<const View> view() const { return publisher_.Latest(); }
  std::shared_ptr<const View> WaitForNewer(std::uint64_t version,
                                           std::chrono::milliseconds patience) const {
    return publisher_.WaitForNewer(version, patience);
  }
  /// How long the loop's present cycle has been under way; zero while it waits for something to do.
  std::chrono::nanoseconds BusyFor(std::chrono::steady_clock::time_point now) const {
    return executor_->heartbeat().BusyFor(now);
  }
  /// Where the loop stands while it is busy.
  std::string Doing() const { return executor_->heartbeat().Doing(); }
  /// A jump of the wall clock is in it once the service follows it.
  Time GridNow() const { return executor_->Now(); }
  /// How long a duration of the grid's clock takes.
  Duration ToWall(Duration grid) const { return clock_.ToWall(grid); }
  const ServiceOptions& options() const { return options_; }
  std::filesystem::path DirectoryOf(core::JobId job) const {
    return options_.jobs_directory / std::to_string(job);
  }

 private:
  class Observer;
  class ExecutorJobs;
  class EngineChecks;
  Service(ServiceOptions options, store::ServiceStore store, runtime::SignalFeed& feed,
          runtime::GridClock& clock, platform::ProcessSignals& signals);
  Status Recover();
  Status MakeExecutor();
  Status MakeSupervisedExecutor();
  core::Cluster Pools() const;
  void Log(const std::string& text);
  void Follow(const engine::ClockSet& set);
  static bool LosesWorkByPauses(const engine::LiveJob& live, const core::Submission& submission);
  const engine::LiveJob* FindLiveOrHeld(core::JobId job) const;
  void SayLostWork(const engine::JobReport& report);
  Status MakePlanThread();
  void LearnOfDevices();
  Status RecoverEnded();
  Status RecoverEnded(core::JobId job);
  void SetAsideUnknown();
  void LookUp(std::span<Request> requests) const;
  Status RecoverLive(core::Submission stored);
  std::function<void()> Waker();
  void OnStored();
  void OnDecision(const engine::Decision& decision);
  void SayDrain();
  Duration Patience() const;
  Duration ToGrid(Duration wall) const;
  void ForgetEnded();
  void ForgetInView();
  void FollowMissed();
  void LookAtSweeps();
  void TakeFigures();
  void TellFigures(core::JobId job);
  void OnSettled(core::JobId job);
  void OnOutsideFigures();
  void FollowMachine(Duration settled_after);
  bool WaitOutTrouble(const Error& error);
  bool OnlyHeldAreLeft() const;

  ServiceOptions options_;
  std::optional<platform::FileLock> jobs_lock_;
  runtime::SignalFeed& feed_;
  runtime::GridClock& clock_;
  platform::ProcessSignals& signals_;
  std::unique_ptr<engine::Engine> engine_;  // outlives the store, which looks at it
  store::ServiceStore store_;
  Publisher publisher_;
  EventLog events_;
  std::unique_ptr<ExecutorJobs> executor_jobs_;
  std::unique_ptr<EngineChecks> checks_;
  Inbox inbox_;
  PendingAnswers answers_;
  FactQueue facts_;
  Dependencies dependencies_;
  JobHolds holds_;
  Recurring recurring_;
  Estimator estimator_;
  SweepWatch sweeps_;
  SweepBudgetWatch sweep_budgets_;
  SweepIntake sweep_intake_;
  JobAccounting accounting_;
  SettlementQueue settlements_;
  Pruner pruner_;
  std::map<std::string, core::DeviceExperience> experience_;  // of models of devices
  std::unique_ptr<local::JobExecutor> executor_;
  local::SupervisedExecutor* supervised_ = nullptr;  // that one, if it is of this machine
  std::optional<MachineWatch> machine_watch_;
  OutsideMetering outside_metering_;
  std::chrono::steady_clock::time_point follow_machine_at_{};
  DeviceInventory device_inventory_;
  SubmissionIntake submission_intake_;
  JobChangeIntake change_intake_;
  RecurringIntake recurring_intake_;
  RequestIntake intake_;
  std::unique_ptr<Observer> observer_;
  DecisionPace pace_;
  std::unique_ptr<PlanThread> plan_thread_;
  FirstComeWatch first_come_;
  bool is_drained_ = false;     // a drain, and nothing runs any more: it is said
  bool compare_again_ = false;  // jobs have ended, or the signal knows more
};

}  // namespace ebb::service
