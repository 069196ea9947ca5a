#pragma once
// The queue service: the engine, its store, and an executor (the programs of this machine, or a
// cluster), run by the one loop (runtime/run_loop.h). It may be killed at any moment: programs go
// on under their supervisors, and the next life finds every job, every decision and every joule.
//
// Trouble: while the store cannot be written (for example because the disk is full), the service
// starts nothing and takes no request. Running jobs go on and are measured. The service tries again
// until it can write.
//
// Thread contract: Open, Run and the destructor on one thread; the other functions on any.

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "core/devices/device_history.h"
#include "local/supervised_executor.h"
#include "plan/make_policy.h"
#include "plan/policy.h"
#include "platform/file_lock.h"
#include "service/accounting/day_use.h"
#include "service/accounting/first_come_watch.h"
#include "service/accounting/machine_watch.h"
#include "service/accounting/outside_metering.h"
#include "service/accounting/settlement_queue.h"
#include "service/devices/device_inventory.h"
#include "service/intake/request_intake.h"
#include "service/intake/width_watch.h"
#include "service/planning/decision_pace.h"
#include "service/planning/plan_thread.h"
#include "service/pruner.h"

namespace ebb::service {

/// The ports that the service offers to an executor that its owner makes
/// (ServiceOptions::make_executor).
struct ExecutorPorts {
  core::Cluster before;  ///< of an earlier life; its pools keep their numbers
  /// Service::Ask; may be called before Run too.
  std::function<std::future<Result<Answer>>(Request)> ask;
  /// The newest published view.
  std::function<std::shared_ptr<const View>()> view;
  /// Publishes budgets of namespaces with the next view.
  std::function<void(std::vector<BudgetView>)> show_budgets;
  /// Publishes with the next view what the executor cannot do for a job; empty: nothing.
  std::function<void(core::JobId job, const std::string& remark)> show_remark;
  /// Takes what the executor measures. An ended job is settled after Complete. Outlives the
  /// executor.
  OutsideMetering* metering = nullptr;
};

/// How long ledgers and folders of ended jobs are kept, unless the user says otherwise.
inline constexpr Duration kDefaultKeep = std::chrono::hours{365 * 24};

struct ServiceOptions {
  std::filesystem::path store;
  /// Contains one run directory for each job, named by the job's number.
  std::filesystem::path jobs_directory;
  std::string policy = "planner";
  plan::PolicyOptions policy_options{};
  /// The inputs of policy_options; the store keeps them, so that a check can make the policy again.
  std::string price_file{};
  double price_weight = 0;
  Time priced_from{};
  engine::Options engine;
  /// The start of a replayed grid clock, if the user chose one. A store that belongs to another
  /// start is refused.
  std::optional<Time> grid_start;
  local::SupervisedExecutorOptions executor;
  DeviceOptions devices;
  /// Other machines on which jobs may run (ServiceOptions::executor.other_sites), and the feeds of
  /// their zones, which outlive the service.
  std::vector<core::Site> sites;
  std::vector<runtime::SignalFeed*> site_feeds;
  /// Makes the executor if jobs are not programs of this machine. Then only the site and the
  /// clock's tolerance of `executor` count, and `devices` and `machine_meters` are not used. The
  /// option changes_widths of `engine` says if that executor follows the widths of starts.
  std::function<Result<std::unique_ptr<local::JobExecutor>>(ExecutorPorts)> make_executor;
  /// LoopPorts::feed_of. Accounts are by the feed of the first site.
  std::function<runtime::SignalFeed*(const core::Site&)> feed_of = [](const core::Site&) {
    return nullptr;
  };
  /// Meters of the whole machine without GPUs; empty: energy that no job uses is not measured.
  std::function<meter::MeterSet()> machine_meters;
  Duration machine_interval{std::chrono::seconds{10}};      ///< between samples of these meters
  Duration machine_settles_after{std::chrono::minutes{3}};  ///< by then all rows of jobs have come
  /// The number of ended jobs that the view keeps; the store has the others. The engine remembers
  /// at most twice as many.
  std::size_t ended_in_view = 2000;
  /// How long after its end, on the grid clock, a job keeps its ledger and its folder; nothing: for
  /// ever. The job itself and all sums stay.
  std::optional<Duration> keep = kDefaultKeep;
  Duration prune_every{
      std::chrono::minutes{10}};  ///< wall time until the next look if no job was old enough
  /// Called on the loop's thread when the end of a job is stored. Must not wait.
  std::function<void(core::JobId)> on_ended = [](core::JobId) {};
  /// Called on the loop's thread when a decision is stored.
  std::function<void(const engine::Decision&)> on_decision = [](const engine::Decision&) {};
  /// Called on the loop's thread when a job's energy, emissions or savings have changed.
  std::function<void(const JobCard&)> on_figures = [](const JobCard&) {};
  /// Called on the loop's thread with what the machine's administrator should know.
  std::function<void(const std::string&)> log = [](const std::string&) {};
  Duration trouble_retry{1000};  ///< wall time between tries to write the store again
  /// The service ends once no job is left that could run. Jobs that are held stay behind. All
  /// requests have to come before Run.
  bool until_idle = false;
  /// When the service is asked to stop, it pauses running jobs and waits until they have ended.
  bool pause_at_stop = false;
};

class Service {
 public:
  /// Everything borrowed must outlive the service.
  static Result<std::unique_ptr<Service>> Open(ServiceOptions options, runtime::SignalFeed& feed,
                                               runtime::GridClock& clock,
                                               platform::ProcessSignals& signals);
  ~Service();

  /// Runs until a request to stop comes (SIGTERM, Ctrl-C), and returns its signal number; running
  /// jobs go on. 0: no job is left (ServiceOptions::until_idle).
  Result<int> Run();

  /// Puts a request into the queue. Looks its program up first, on the caller's thread.
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
  /// How long the loop's present cycle has taken so far; zero while the loop waits.
  std::chrono::nanoseconds BusyFor(std::chrono::steady_clock::time_point now) const {
    return executor_->heartbeat().BusyFor(now);
  }
  /// The present work of the loop, while it is busy.
  std::string Doing() const { return executor_->heartbeat().Doing(); }
  /// The time of the grid clock. A jump of the wall clock shows once the service follows it.
  Time GridNow() const { return executor_->Now(); }
  /// The wall time that a duration of the grid clock takes.
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
  void WatchMachine();
  void OnBudget(core::JobId job, const core::BudgetEvent& event, std::size_t heard);
  std::string ModelOf(int pool) const;
  std::vector<core::JobId> LiveJobs() const;
  void OnPowerChoice(const core::Submission& submission, int pool, const core::PowerChoice& choice);
  local::JobPower PowerOf(const core::Submission& submission, int pool) const;
  std::vector<runtime::SignalFeed*> Feeds() const;
  void OnTick();
  void OnClockJump(Duration by);
  core::Cluster Pools() const;
  void Log(const std::string& text);
  /// For messages: what tells the intensity of a site.
  std::string SourceOf(int site) const;
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
  void MeasureFiles(std::span<Request> requests) const;
  Status RecoverLive(core::Submission stored);
  std::function<void()> Waker();
  std::function<Time()> Clock() const;
  std::function<std::filesystem::path(core::JobId)> Directories() const;
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
  void OnSettled(core::JobId job, const std::vector<RanAt>& places);
  void CountToday();
  void FollowToday();
  void OnOutsideFigures();
  void FollowMachine(Duration settled_after);
  bool WaitOutTrouble(const Error& error);
  bool OnlyHeldAreLeft() const;

  ServiceOptions options_;
  std::optional<platform::FileLock> jobs_lock_;
  runtime::SignalFeed& feed_;
  runtime::GridClock& clock_;
  platform::ProcessSignals& signals_;
  std::unique_ptr<engine::Engine> engine_;  // before store_, which refers to it
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
  PowerChoices power_choices_;
  WidthHistory width_history_;
  WidthWatch width_watch_;
  Estimator estimator_;
  SweepWatch sweeps_;
  SweepBudgetWatch sweep_budgets_;
  SweepIntake sweep_intake_;
  DayUse today_;
  JobAccounting accounting_;
  SettlementQueue settlements_;
  Pruner pruner_;
  std::map<std::string, core::DeviceExperience> experience_;  // by device model
  std::unique_ptr<local::JobExecutor> executor_;
  local::SupervisedExecutor* supervised_ =
      nullptr;  // executor_, if jobs are programs of this machine
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
  bool is_drained_ = false;     // the drain is complete, and people were told
  bool compare_again_ = false;  // for first_come_: jobs have ended, or the signal knows more
};

}  // namespace ebb::service
