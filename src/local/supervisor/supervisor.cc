#include "local/supervisor/supervisor.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>
#include <tuple>

#include "local/power/power_control.h"
#include "local/process/attempt_outcome.h"
#include "local/process/grid_file.h"
#include "local/process/pause_marker.h"
#include "local/process/plan_clock.h"
#include "local/supervisor/attempt_account.h"
#include "local/supervisor/attempt_log.h"
#include "local/supervisor/device_guard.h"
#include "local/supervisor/device_lock.h"
#include "local/supervisor/ending.h"
#include "local/supervisor/from_outside.h"
#include "platform/detached_process.h"
#include "platform/file.h"
#include "platform/process_signals.h"
#include "platform/process_table.h"
#include "platform/system_clock.h"

namespace ebb::local {
namespace {

using std::chrono::steady_clock;

constexpr Duration kLookAgain{std::chrono::minutes{1}};
constexpr Duration kLookAtLog{std::chrono::seconds{1}};
constexpr Duration kLookAtGrid{std::chrono::seconds{1}};
constexpr Duration kLookAtPower{200};
constexpr Duration kWriteAgain{std::chrono::seconds{10}};
// A process that ends the program and its supervisor together may reach the program first.
constexpr Duration kTogether{200};
constexpr Duration kAccountOften{20};
constexpr Duration kAccountRarely{std::chrono::seconds{1}};

// Lines that could not be written (a full disk) are kept until they can. Filled by the sampler's
// thread.
class EnergyFile {
 public:
  Status Open(const std::filesystem::path& file) {
    EBB_ASSIGN_OR_RETURN(auto writer, platform::LineWriter::Open(file));
    writer_.emplace(std::move(writer));
    return {};
  }
  void Append(std::vector<std::string> lines) {
    const std::lock_guard guard(mutex_);
    for (std::string& line : lines) unwritten_.push_back(std::move(line));
    std::size_t written = 0;
    while (written < unwritten_.size() && writer_->Append(unwritten_[written])) ++written;
    unwritten_.erase(unwritten_.begin(), unwritten_.begin() + static_cast<std::ptrdiff_t>(written));
  }
  std::size_t unwritten() {
    const std::lock_guard guard(mutex_);
    return unwritten_.size();
  }

 private:
  std::mutex mutex_;
  std::optional<platform::LineWriter> writer_;
  std::vector<std::string> unwritten_;
};

// The readings as lines, each with the utilisation of its device.
std::vector<std::string> LinesOf(const std::vector<core::EnergyReading>& readings,
                                 const meter::Utilisation& utilisation) {
  std::vector<std::string> lines;
  for (const core::EnergyReading& reading : readings) {
    std::optional<double> percent;
    if (reading.component == core::Component::kCpu) percent = utilisation.tree_cpu_percent;
    for (const meter::DeviceUtilisation& gpu : utilisation.gpus)
      if (gpu.device == reading.device) percent = gpu.percent;
    lines.push_back(ToLine(reading, percent));
  }
  return lines;
}

// Carries out the service's requests to the program.
class Program {
 public:
  /// `cgroup` is the child's control group, if it has one, and outlives this.
  Program(platform::ChildProcess child, Duration grace, const meter::Cgroup* cgroup)
      : child_(std::move(child)), grace_(grace), cgroup_(cgroup) {}

  platform::ChildProcess& child() { return child_; }

  void Take(int signal_number) {
    stop_requested_ = stop_requested_ || platform::IsStopRequest(signal_number);
    switch (signal_number) {
      case SIGTERM:
      case SIGHUP:
        AskToEnd(grace_);
        break;
      case SIGINT:
        AskToEnd(Duration::zero());
        break;
      case SIGUSR1:
        Send(SIGSTOP);
        break;
      case SIGUSR2:
        Send(SIGCONT);
        break;
      default:
        break;
    }
  }
  void Take(runtime::BudgetOrder order) {
    if (order == runtime::BudgetOrder::kAskToEnd) AskToEnd(grace_);
    if (order == runtime::BudgetOrder::kKill) AskToEnd(Duration::zero());
  }
  void KillIfOverdue() {
    if (!asked_ || killed_ || steady_clock::now() < kill_at_) return;
    Send(SIGKILL);
    killed_ = true;
  }
  /// No process of the attempt may run beside the next program on its devices: those that the child
  /// left behind are asked to end, and killed when the grace period is over.
  void EndRest(platform::ProcessSignals& signals) {
    constexpr Duration kLookAgainSoon{20};
    Ending rest({[this] { return Others(); }, grace_,
                 [this] {
                   if (cgroup_) cgroup_->SendSignal(SIGKILL);
                 }});
    while (!rest.Look()) {
      const auto received = signals.Wait(kLookAgainSoon);
      if (received && received->number == SIGINT) rest.Hurry();
      const pid_t child = child_.pid();
      platform::ReapAdopted({&child, 1});
    }
    const pid_t child = child_.pid();
    platform::ReapAdopted({&child, 1});
  }
  /// Tells that somebody has asked this process to end the program: the service, or somebody else.
  bool stop_requested() const { return stop_requested_; }
  /// Looks for a last stop request, for a moment.
  void LookForStopRequest(platform::ProcessSignals& signals) {
    stop_requested_ = stop_requested_ || signals.WaitForStop(kTogether);
  }
  Duration UntilKill() const {
    if (!asked_ || killed_) return kLookAgain;
    return std::clamp(std::chrono::ceil<Duration>(kill_at_ - steady_clock::now()), Duration{1},
                      kLookAgain);
  }

 private:
  void AskToEnd(Duration grace) {
    const auto at = steady_clock::now() + grace;
    kill_at_ = asked_ ? std::min(kill_at_, at) : at;
    if (!std::exchange(asked_, true)) {
      Send(SIGTERM);
      Send(SIGCONT);
    }
  }
  // Signals the process group, and processes that have left it.
  void Send(int signal_number) {
    child_.SendSignal(signal_number);
    for (const pid_t pid : Others())
      if (::getpgid(pid) != child_.pid()) ::kill(pid, signal_number);
  }
  // Descendants of the child; orphans among them are children of this process.
  std::vector<pid_t> Others() const {
    std::vector<pid_t> others = platform::DescendantsOf(::getpid());
    if (cgroup_)
      for (const pid_t pid : cgroup_->Members())
        if (std::find(others.begin(), others.end(), pid) == others.end()) others.push_back(pid);
    std::erase(others, child_.pid());
    return others;
  }

  platform::ChildProcess child_;
  Duration grace_;
  const meter::Cgroup* cgroup_;
  bool asked_ = false;
  bool killed_ = false;
  bool stop_requested_ = false;
  steady_clock::time_point kill_at_{};
};

AttemptEnd NotStarted(const AttemptPlan& plan, const Error& error) {
  AttemptEnd end;
  end.started = false;
  end.status.code = static_cast<int>(error.code);
  end.attempt.number = plan.attempt;
  end.attempt.wall = {platform::WallNow(), platform::WallNow()};
  end.attempt.outcome = core::AttemptOutcome::kNotStarted;
  end.detail = error.Message();
  return end;
}

// The end must be known, so writing is repeated until there is space. If the job's directory is
// gone, nobody will look for it.
Status WriteEndAtLast(const AttemptPaths& paths, const AttemptEnd& end, const std::string& secret) {
  constexpr int kTries = 6 * 60;
  for (int left = kTries;; --left) {
    Status written = WriteEnd(paths, end, secret);
    std::error_code ignored;
    if (written || left == 0 || !std::filesystem::exists(paths.directory, ignored)) return written;
    std::this_thread::sleep_for(kWriteAgain);
  }
}

// The signal of the attempt, and what the program is told of it. At a site the signal is unknown,
// and the follower at home tells the program (sites/home/follower.h).
class Grid {
 public:
  Grid(const AttemptPaths& paths, const AttemptPlan& plan, const SupervisorOptions& options,
       const runtime::GridClock& clock)
      : feed_(*options.feed), clock_(clock) {
    if (!plan.store.empty())
      file_.emplace(paths.directory / kGridFile, *options.feed, clock, options.pue);
  }

  ObservedFeed& feed() { return feed_; }
  void Look() {
    feed_.KeepUp(clock_.Now());
    if (file_) file_->Look();
  }

 private:
  ObservedFeed feed_;
  std::optional<GridFile> file_;
  const runtime::GridClock& clock_;
};

// Returns null if nobody needs an account.
std::unique_ptr<AttemptAccount> AccountFor(const AttemptPaths& paths, const AttemptPlan& plan,
                                           const SupervisorOptions& options, Grid* grid,
                                           const runtime::GridClock& clock) {
  if (!grid || (!options.follower && plan.budget.empty())) return nullptr;
  AccountOptions account{*options.feed, grid->feed(), clock,      options.follower,
                         std::nullopt,  plan.attempt, options.pue};
  if (!plan.budget.empty()) {
    account.budget = {plan.budget,  plan.used_before, paths.directory,
                      plan.attempt, options.pue,      options.sampler.interval};
    account.budget->budget.grace = plan.grace;
  }
  return std::make_unique<AttemptAccount>(std::move(account));
}

// Returns null if the power is not limited. If a limit was to be found, the reason is written down.
std::unique_ptr<PowerControl> PowerFor(const AttemptPaths& paths, const AttemptPlan& plan,
                                       const SupervisorOptions& options) {
  if (plan.known_cap && !plan.power_cap)
    std::ignore = AppendPowerChoice(paths.directory, *plan.known_cap);
  if (!plan.power_cap || plan.gpus.empty()) return nullptr;
  PowerTerms terms{.cap = *plan.power_cap,
                   .slower_by = plan.slower_by,
                   .gpus = plan.gpus,
                   .nvml_library = options.nvml_library,
                   .sample_interval = options.sampler.interval,
                   .progress = options.progress,
                   .known = plan.known_cap};
  return std::make_unique<PowerControl>(paths, std::move(terms), platform::WallNow());
}

// Outcome of the attempt, given the reason for which it was asked to end.
core::AttemptOutcome OutcomeOf(const AttemptPaths& paths, const AttemptPlan& plan,
                               const AttemptEnd& end, bool asked_by_budget) {
  const core::AttemptOutcome alone = end.attempt.outcome;
  if (alone == core::AttemptOutcome::kDone) return alone;
  if (end.from_outside) return core::AttemptOutcome::kPaused;
  const auto request = ReadAsked(paths);
  if (request == EndRequest::kCancel) return core::AttemptOutcome::kKilled;
  if (request == EndRequest::kTooLong) return core::AttemptOutcome::kFailed;
  if (asked_by_budget && plan.budget.action == core::BudgetAction::kStop)
    return core::AttemptOutcome::kStoppedByBudget;
  const bool paused = request == EndRequest::kPause || asked_by_budget;
  return paused && alone == core::AttemptOutcome::kKilled ? core::AttemptOutcome::kPaused : alone;
}

// Tells that neither the service, which writes its reason before it asks, nor the job's budget
// asked for this end. See from_outside.h.
bool IsFromOutside(const AttemptPaths& paths, Program& program, platform::ProcessSignals& signals,
                   const OomWatch& oom) {
  const auto status = program.child().SeenEnd();
  if (!status || status->code == 0 || ReadAsked(paths)) return false;
  if (LooksFromOutside(*status, oom)) return true;
  program.LookForStopRequest(signals);
  return program.stop_requested();
}

// Everything that is looked after while the program runs. Null: it is not there.
struct Watched {
  AttemptAccount* account;
  Grid* grid;
  LogTrimmer& log;
  OomWatch& oom;
  DeviceGuard& devices;
  PowerControl* power;
};

// Follows the program until it has ended.
void Follow(Program& program, platform::ProcessSignals& signals, const Watched& watched,
            Duration look_again) {
  const auto& [account, grid, log, oom, devices, power] = watched;
  const pid_t pid = program.child().pid();
  while (!program.child().HasEnded()) {
    const bool searches = power && power->searches();
    const Duration look = searches ? std::min(look_again, kLookAtPower) : look_again;
    const auto received = signals.Wait(std::min(program.UntilKill(), look));
    if (received) program.Take(received->number);
    if (power) power->Look(platform::WallNow());
    if (power && received) power->Interrupt(platform::WallNow());
    if (grid) grid->Look();
    if (account) program.Take(account->Tick());
    program.KillIfOverdue();
    log.Look();
    oom.Look();
    devices.Look();
    platform::ReapAdopted({&pid, 1});
  }
}

// The end is written before a slow tracker is called.
Status WriteEndAndFollow(const AttemptPaths& paths, AttemptEnd end, AttemptFollower* follower,
                         core::AttemptOutcome outcome, const runtime::GridClock& clock,
                         const std::string& secret) {
  EBB_RETURN_IF_ERROR(WriteEndAtLast(paths, end, secret));
  if (!follower) return {};
  core::Attempt attempt = end.attempt;
  attempt.outcome = outcome;
  attempt.grid = clock.ToGrid(attempt.wall);
  const std::vector<std::string> notes = follower->OnEnd(attempt);
  if (notes.empty()) return {};
  end.warnings.insert(end.warnings.end(), notes.begin(), notes.end());
  return WriteEnd(paths, end, secret);
}

}  // namespace

std::string TakeEndSecret() {
  platform::HideFromOthers();
  constexpr std::size_t kMost = 4096;
  std::string secret(kMost, '\0');
  const ssize_t length = ::read(STDIN_FILENO, secret.data(), secret.size());
  secret.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  return secret;
}

Status SuperviseFailed(const AttemptPaths& paths, const AttemptPlan& plan, const Error& error,
                       const std::string& end_secret) {
  // People look here for the program's output.
  if (auto log = platform::LineWriter::Open(paths.log()))
    std::ignore = log->Append("ebb: " + error.Message());
  return WriteEndAtLast(paths, NotStarted(plan, error), end_secret);
}

Status Supervise(const AttemptPaths& paths, const AttemptPlan& plan, SupervisorOptions options,
                 const platform::FileLock& lock) {
  platform::ProcessSignals signals;
  WriteSupervisor(lock);
  const auto locks = DeviceLocks::Take(plan.gpus, paths.directory.string());
  if (!locks) return SuperviseFailed(paths, plan, locks.error(), options.end_secret);
  EnergyFile energy;
  if (const auto opened = energy.Open(paths.energy()); !opened)
    return SuperviseFailed(paths, plan, opened.error(), options.end_secret);
  platform::SystemClock wall(signals);
  const runtime::GridClock clock = ClockOf(plan, wall);
  std::optional<Grid> grid;
  if (options.feed) grid.emplace(paths, plan, options, clock);
  Grid* const grid_or_null = grid ? &*grid : nullptr;
  const auto account = AccountFor(paths, plan, options, grid_or_null, clock);
  const auto power = PowerFor(paths, plan, options);
  // Outlives the sampler. Null if this user may not make one: the process group is used then.
  const auto cgroup = meter::Cgroup::Create(options.sampler.proc_root);
  meter::Sampler sampler(
      std::move(options.meters), options.sampler,
      [&](std::vector<core::EnergyReading> readings, const meter::Utilisation& utilisation) {
        energy.Append(LinesOf(readings, utilisation));
        if (power) power->Push(readings);
        if (account) account->Push(std::move(readings));
      });
  platform::ChildOptions child{plan.command, plan.environment,
                               platform::ChildOptions::Background{paths.log().string()},
                               plan.working_directory, cgroup ? cgroup->procs_file() : ""};
  OomWatch oom(cgroup.get());
  DeviceGuard devices(paths, plan, options.nvml_library);
  const PauseMarker pause_marker(child);
  if (grid) grid->Look();
  auto started = platform::ChildProcess::Start(child);
  if (!started) {
    if (options.follower) options.follower->OnFailure();
    return SuperviseFailed(paths, plan, started.error(), options.end_secret);
  }
  Program program(*std::move(started), plan.grace, cgroup.get());
  const pid_t pid = program.child().pid();
  sampler.Start({pid}, cgroup.get());
  const Time began = platform::WallNow();
  energy.Append({ToLine(EnergyHeader{pid, platform::ProcessIdentity(pid), began,
                                     cgroup ? cgroup->Identity() : "", platform::SinceBoot()})});
  if (account) account->Begin(began);

  LogTrimmer log(paths.log(), plan.log_limit_bytes);
  Duration look_again = plan.log_limit_bytes > 0 ? kLookAtLog : kLookAgain;
  if (grid) look_again = std::min(look_again, kLookAtGrid);
  if (account) look_again = std::clamp(options.sampler.interval, kAccountOften, kAccountRarely);
  Follow(program, signals, {account.get(), grid_or_null, log, oom, devices, power.get()},
         look_again);
  AttemptEnd end;
  const bool asked_by_budget = account && account->asked_to_end();
  end.from_outside = !asked_by_budget && IsFromOutside(paths, program, signals, oom);
  program.EndRest(signals);
  // The last sample is taken while the kernel still has the program's times.
  const meter::SamplerSummary summary = sampler.Stop();
  end.warnings = summary.warnings;
  end.status = pause_marker.Judge(
      program.child().TakeEnd().value_or(platform::ExitStatus{128 + SIGKILL, true}), end.warnings);
  devices.LookAtEnd(end.status.code != 0);
  end.attempt = EndedAttempt(plan.attempt, end.status, summary.mean);
  if (power)
    for (std::string& note : power->End()) end.warnings.push_back(std::move(note));
  if (log.trouble()) end.warnings.push_back(*log.trouble());
  energy.Append({});
  if (const std::size_t lost = energy.unwritten(); lost > 0)
    end.warnings.push_back(std::to_string(lost) + " readings could not be written");
  if (account) account->Finish();
  return WriteEndAndFollow(paths, end, options.follower,
                           OutcomeOf(paths, plan, end, asked_by_budget), clock, options.end_secret);
}

}  // namespace ebb::local
