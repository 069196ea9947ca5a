#pragma once
// The executor of the service: jobs are programs on this machine, each under a supervisor of its
// own (supervisor.h) that outlives the service. After a crash or an upgrade the next service finds
// running programs, ends and measurements in the jobs' run directories.
//
// Started once: the lock of an attempt is held from before its supervisor exists until after its
// end is written, so no attempt ever runs twice at once, even if a process dies in between.
//
// Thread contract: one thread, except Wake, Now and heartbeat.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "local/device_register.h"
#include "local/job_executor.h"
#include "local/other_sites.h"
#include "local/power/job_power.h"
#include "local/process/observed_feed.h"
#include "local/supervised_program.h"
#include "platform/process_signals.h"
#include "runtime/clock_watch.h"

namespace ebb::local {

struct SupervisedExecutorOptions {
  core::Cluster cluster;                       ///< pools of slots; see SupervisedExecutor::devices
  std::vector<std::vector<std::string>> gpus;  ///< by pool: one name per slot; none: no GPUs
  /// Corrects the data-sheet values of the pools.
  std::function<void(core::Cluster&)> refine = [](core::Cluster&) {};
  Duration grace{std::chrono::seconds{30}};   ///< wall time between SIGTERM and SIGKILL
  Duration tick{1000};                        ///< wall time between readings of measured data
  Duration idle_tick{std::chrono::hours{1}};  ///< the same while nothing runs
  std::optional<core::PowerCap> power_cap{};  ///< for jobs that have none of their own
  core::Slowdown slower_by{};                 ///< the same, for a power cap that is found
  /// The power limit with which an attempt of the job starts on the pool. Empty: the job's own cap.
  std::function<JobPower(const core::Submission&, int pool)> power_of{};
  /// An attempt has found a power limit, or left it alone.
  std::function<void(const core::Submission&, int pool, const core::PowerChoice&)> on_power_choice =
      [](const core::Submission&, int, const core::PowerChoice&) {};
  core::Tracking tracking{};  ///< for jobs that have none of their own
  std::string store{};        ///< for the supervisors, see AttemptPlan
  std::string nvml_library = "libnvidia-ml.so.1";
  std::uint64_t log_limit_bytes = 0;            ///< limit of an attempt's output; 0: all is kept
  std::map<std::string, std::string> metering;  ///< flags of the supervisors, see AttemptPlan
  /// The command of a supervisor before the plan's path: {"ebb", "supervise"}.
  std::vector<std::string> supervisor{"ebb", "supervise"};
  std::string supervisor_program = "/proc/self/exe";
  /// The command of the supervisor here of an attempt that runs at another site, as above.
  std::vector<std::string> follower{"ebb", "site", "follow"};
  /// The other machines on which jobs may run, in the order of UseSites; nullptr: there are none.
  OtherSites* other_sites = nullptr;
  /// Starts a supervisor; tests let it fail.
  std::function<Result<pid_t>(const platform::DetachedOptions&)> start = platform::StartDetached;
  /// JobRecords::End may be called again for an attempt whose end is stored. Returns the data that
  /// is stored already of an attempt that an earlier life began.
  std::function<StoredBefore(core::JobId, int attempt)> stored_before = [](core::JobId, int) {
    return StoredBefore{};
  };
  /// Tells if the end of an attempt is stored. If it is not although a later attempt was begun (the
  /// store is a backup), its measurements are read from its files.
  std::function<bool(core::JobId, int attempt)> end_is_stored = [](core::JobId, int) {
    return true;
  };
  /// Passes on an event of a job's budget. The supervisor has already acted on it; with
  /// BudgetAction::kPause and kReached, the callee has to hold the job. `heard`: the number of the
  /// job's events so far, to be kept and given back as StoredBefore::budget_events.
  std::function<void(core::JobId, const core::BudgetEvent&, std::size_t heard)> on_budget =
      [](core::JobId, const core::BudgetEvent&, std::size_t) {};
  std::function<void()> on_tick = [] {};
  /// Passes on a text for people about a running job: it cannot be ended, ...
  std::function<void(core::JobId, const std::string&)> say = [](core::JobId, const std::string&) {};
  /// Called whenever a wait is over, to take in new facts about the devices.
  std::function<void()> look_at_devices = [] {};
  runtime::ClockWatchOptions clock{};  ///< options for watching the wall clock
  /// The wall clock has jumped by this much, and is followed if that lasts; zero: it came back.
  std::function<void(Duration)> on_clock_jump = [](Duration) {};
};

/// A start that another site should keep, in case the connection breaks before it.
struct StartWish {
  core::JobId job = 0;
  int attempt = 1;  ///< number of the attempt that comes next
  int pool = -1;
  Time planned{}, latest{};  ///< grid times
  friend bool operator==(const StartWish&, const StartWish&) = default;
};

/// True if the plan's start is kept by a site that has not begun it, as far as is known here.
bool WaitsAtSite(const AttemptPlan& plan, const SiteState& state);

class SupervisedExecutor final : public JobExecutor {
 public:
  /// Everything borrowed must outlive the executor. `feed` is the feed of the only site.
  SupervisedExecutor(SupervisedExecutorOptions options, runtime::SignalFeed& feed,
                     runtime::GridClock& clock, platform::ProcessSignals& signals,
                     JobRecords& records);
  /// Running programs go on.
  ~SupervisedExecutor() override;

  /// Names the other sites and the feeds of their zones. Called once, before the first Add.
  void UseSites(const std::vector<core::Site>& sites,
                const std::vector<runtime::SignalFeed*>& feeds);
  /// The feeds of all sites of the cluster; nullptr: a site that is not used any more.
  const std::vector<runtime::SignalFeed*>& feeds() const { return feeds_; }
  /// Makes a job known, and finds attempts that an earlier life of the service started. A folder
  /// that another job with its number left is set aside; an Error: that job still runs. An attempt
  /// whose plan is damaged counts as a failed start, and is an Error while it still runs.
  Status Add(LocalJob job) override;
  void Replace(std::shared_ptr<const core::Submission> submission) override;
  /// Has other sites keep exactly these starts: sends the jobs ahead, and takes other starts back.
  /// Jobs without a deadline of their own are not sent ahead, nor are those with a budget of
  /// emissions.
  void KeepStarts(const std::vector<StartWish>& wishes);
  /// Asks all running programs to pause, and waits until they have ended; a second request to stop
  /// ends the grace periods. The next life finds their ends, as after a crash.
  void PauseAll();

  std::string name() const override { return "local"; }
  Time Now() const override { return clock_.ToGrid(watch_.Now()); }
  std::optional<engine::ClockSet> TakeClockSet() override;
  core::Cluster cluster() const override;
  Result<std::vector<engine::JobReport>> Observe() override;
  Status Execute(const engine::Command& command) override;
  Result<std::vector<engine::JobReport>> WaitForEvents(Time deadline) override;
  void Forget(core::JobId job) override;

  /// The devices, with their states. The caller may change them before the first Add, or in
  /// look_at_devices.
  DeviceRegister& devices() { return devices_; }
  const DeviceRegister& devices() const { return devices_; }
  void Wake() override;
  runtime::Heartbeat& heartbeat() override { return heartbeat_; }
  std::optional<int> stop_signal() const override { return stop_signal_; }
  std::vector<SupervisedFigures> Running() const override;

 private:
  struct Entry {
    LocalJob local;
    std::unique_ptr<SupervisedProgram> program;    // while it runs
    std::optional<engine::JobReport> last_report;  // report of the last attempt
    bool adopted = false;                          // adopted, and not yet looked at
    std::optional<Duration> frozen_since{};        // on the clock of SinceBoot
    Duration frozen{};                             // earlier frozen time, as far as this life knows
    Duration followed_at{};              // when its follower was started, on the clock of SinceBoot
    std::optional<AttemptPlan> order{};  // of the next attempt, whose start another site keeps
    std::optional<engine::StartJob> start_after{};  // given once that start has been taken back
    Duration no_order_before{};                     // on the clock of SinceBoot
    bool order_is_said = false;                     // people were told that a site has it
    bool is_forgotten = false;                      // once its order is over, nobody needs it
  };

  Result<Entry*> Find(core::JobId job);
  Status Adopt(Entry& entry, AttemptPlan plan);
  Status AddWithoutPlan(LocalJob job, int attempt, const Error& why);
  void TakeInEarlier(const Entry& entry, int last);
  Status Start(const engine::StartJob& command);
  Status Begin(Entry& entry, AttemptPlan plan);
  Result<AttemptPlan> PlanFor(const Entry& entry, const engine::StartJob& command,
                              std::vector<int> slots);
  Status PutElsewhere(const Entry& entry, AttemptPlan& plan, std::filesystem::path& directory);
  Result<pid_t> Launch(const Entry& entry, AttemptPlan& plan);
  Result<std::vector<int>> FreeSlots(const core::Job& job, int pool) const;
  int SiteOf(int pool) const { return devices_.pools().pools[static_cast<std::size_t>(pool)].site; }
  std::optional<pid_t> FollowAgain(Entry& entry, const AttemptPlan& plan);
  bool KeepStart(const StartWish& wish);
  StartOrder OrderFor(const StartWish& wish, std::int64_t number) const;
  std::set<int> SlotsOfOrders(int pool) const;
  bool Stage(Entry& entry, const StartWish& wish);
  void TakeBack(Entry& entry);
  void CancelOrder(Entry& entry);
  Status StartKept(Entry& entry, const engine::StartJob& command);
  void TakeOrder(Entry& entry);
  void SetBegin(AttemptPlan& plan, const AttemptPaths& paths) const;
  static std::optional<platform::ProcessWatch> FollowerOf(const AttemptPaths& paths);
  void LookAtOrders();
  void DropOrder(Entry& entry);
  Result<pid_t> StartSupervisor(const AttemptPlan& plan, const AttemptPaths& paths, int lock,
                                const std::string& secret) const;
  runtime::SignalFeed& FeedOf(int pool) const;
  void Freeze(Entry& entry, bool frozen);
  void FindFrozen();
  Status Pause(const engine::PauseJob& command);
  Status RequestEnd(core::JobId job, int attempt, EndRequest request);
  void Watch(Entry& entry, AttemptPlan plan, std::optional<platform::ProcessWatch> watch);
  void Report(Entry& entry, engine::JobReport report);
  void LookAtPrograms();
  void LookAtSites();
  void TakeEnd(Entry& entry);
  void HearBudget(Entry& entry);
  void HearFaults(const Entry& entry);
  void HearPowerChoice(Entry& entry);
  JobPower PowerOf(const core::Submission& submission, int pool) const;
  void TakeUse(const DeviceUse& ended);
  bool WaitOnce(Duration timeout);
  bool LookAtClock();
  void SayJump();
  Duration SinceBoot() const { return clock_.wall().SinceBoot(); }
  void FindSlots(AttemptPlan& plan) const;
  HeldDevices Held() const;
  Duration UntilRetry() const;

  SupervisedExecutorOptions options_;
  DeviceRegister devices_;
  runtime::SignalFeed& feed_;
  runtime::GridClock& clock_;
  platform::ProcessSignals& signals_;
  JobRecords& records_;
  std::map<core::JobId, Entry> entries_;
  std::map<core::JobId, Entry*> running_;
  std::set<core::JobId> kept_;              // jobs with an order
  std::vector<engine::JobReport> reports_;  // reports that were not handed out yet
  std::optional<int> stop_signal_;
  runtime::ClockWatch watch_;
  bool clock_told_ = false;  // the change of the clock was reported
  bool jump_said_ = false;
  Duration last_tick_{};                     // on the clock of SinceBoot
  std::vector<runtime::SignalFeed*> feeds_;  // by site of the cluster
  std::vector<int> site_numbers_;            // in the cluster, in the order of UseSites
  std::vector<ObservedFeed> observed_;       // of the sites that are used
  int wake_descriptor_ = -1;
  runtime::Heartbeat heartbeat_;
};

}  // namespace ebb::local
