// The part of the executor that waits: for ends and reports of programs, requests of people,
// signals of the machine, and changes of its clock.

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>

#include "local/files/job_folder.h"
#include "local/power/power_guard.h"
#include "local/supervised_executor.h"

namespace ebb::local {
namespace {

using engine::JobPhase;
using engine::JobReport;

// Longer waits are cut, so that arithmetic with Time::max() cannot overflow.
constexpr Duration kLongestWait = std::chrono::hours{1};
// Waits of the kernel ignore suspends and changes of the clock.
constexpr Duration kLookAtClock = std::chrono::seconds{5};
constexpr Duration kShortestLookAtClock{10};

}  // namespace

void SupervisedExecutor::LookAtPrograms() {
  if (!running_.empty())
    for (ObservedFeed& feed : observed_) feed.KeepUp(Now());
  std::vector<Entry*> ended;
  for (const auto& [job, entry] : running_) {
    SupervisedProgram& program = *entry->program;
    heartbeat_.At("reading the files of", job);
    if (const auto trouble = program.TakeTrouble()) options_.say(job, *trouble);
    if (program.HasEnded()) {
      if (program.Settle() == SupervisedProgram::Rest::kNothing) ended.push_back(entry);
      if (program.NeedsFollower())
        if (const auto pid = FollowAgain(*entry, program.plan()))
          program.Watch(platform::ProcessWatch::Open(*pid));
      continue;
    }
    const auto& limit = entry->local.submission->time_limit;
    const Duration ran = program.Ran() - entry->frozen;
    if (limit && !entry->frozen_since && clock_.ToGrid(ran) > *limit)
      program.AskToEnd(EndRequest::kTooLong);
    program.Tick();
    HearBudget(*entry);
    HearFaults(*entry);
    HearPowerChoice(*entry);
  }
  for (Entry* entry : ended) TakeEnd(*entry);
}

void SupervisedExecutor::LookAtSites() {
  if (!options_.other_sites) return;
  for (const OtherSites::News& news : options_.other_sites->TakeNews()) {
    devices_.TakeSite(site_numbers_[news.site], news.look);
    if (!news.text.empty()) options_.say(0, news.text);
  }
}

void SupervisedExecutor::TakeEnd(Entry& entry) {
  // The budget is heard before the pause is reported, because the job may have to be held.
  HearBudget(entry);
  HearFaults(entry);
  HearPowerChoice(entry);
  // A supervisor that was killed could not restore the power limits.
  const AttemptPaths paths{entry.local.directory, entry.program->plan().attempt};
  const Status restored =
      entry.program->is_elsewhere() ? Status{} : RestorePower(paths, options_.nvml_library);
  JobReport report = entry.program->TakeEnd(restored ? std::vector<std::string>()
                                                     : std::vector{restored.error().Message()});
  report.since = Now();
  if (options_.other_sites && report.phase == JobPhase::kPaused)
    report.checkpoint_bytes = CheckpointBytes(entry.local.directory);
  running_.erase(report.job);
  if (entry.program->use()) TakeUse(*entry.program->use());
  entry.program.reset();
  Report(entry, std::move(report));
}

void SupervisedExecutor::HearFaults(const Entry& entry) {
  for (const DeviceFault& fault : entry.program->Faults())
    devices_.TakeFault(fault.device, fault.what, fault.wall);
}

void SupervisedExecutor::HearPowerChoice(Entry& entry) {
  if (const auto choice = entry.program->TakePowerChoice())
    options_.on_power_choice(*entry.local.submission, entry.program->plan().pool, *choice);
}

void SupervisedExecutor::TakeUse(const DeviceUse& ended) {
  std::vector<DeviceUse> running;
  for (const auto& [job, entry] : running_) {
    const SupervisedProgram& program = *entry->program;
    running.push_back({program.plan().gpus, job, KindOf(*entry->local.submission),
                       program.figures().elapsed, false});
  }
  devices_.TakeEnd(ended, running, watch_.Now());
}

void SupervisedExecutor::HearBudget(Entry& entry) {
  SupervisedProgram& program = *entry.program;
  for (const core::BudgetEvent& event : program.TakeBudgetEvents()) {
    options_.on_budget(entry.local.job().id, event, program.budget_events_heard());
    Wake();
  }
}

// Returns true when it is time to look: a program ended, Wake was called, or a signal came.
bool SupervisedExecutor::WaitOnce(Duration timeout) {
  std::vector<pollfd> descriptors{{wake_descriptor_, POLLIN, 0},
                                  {signals_.descriptor(), POLLIN, 0}};
  bool settles = false;
  for (const auto& [job, entry] : running_) {
    const auto settle_after = entry->program->SettleAfter();
    if (settle_after) timeout = std::min(timeout, *settle_after);
    if (!settle_after) descriptors.push_back({entry->program->watch()->descriptor(), POLLIN, 0});
    settles = settles || settle_after;
  }
  heartbeat_.Rest();
  const int ready =
      ::poll(descriptors.data(), descriptors.size(), static_cast<int>(timeout.count()));
  heartbeat_.Beat();
  if (ready <= 0) return settles;
  if (descriptors[1].revents != 0) {
    const auto received = signals_.Wait(Duration::zero());
    if (received && platform::IsStopRequest(received->number)) stop_signal_ = received->number;
  }
  return true;
}

// Returns true, once, when the clock was set and the change has lasted.
bool SupervisedExecutor::LookAtClock() {
  const bool due = watch_.Look();
  SayJump();
  return due && !std::exchange(clock_told_, true);
}

// Reports a jump of the clock, also one that another caller has seen first.
void SupervisedExecutor::SayJump() {
  const bool jumped = watch_.jumped_at().has_value();
  if (std::exchange(jump_said_, jumped) == jumped) return;
  options_.on_clock_jump(jumped ? watch_.ahead() : Duration::zero());
}

std::optional<engine::ClockSet> SupervisedExecutor::TakeClockSet() {
  clock_told_ = false;
  const auto step = watch_.TakeStep();
  if (!step) {
    SayJump();
    return std::nullopt;
  }
  jump_said_ = false;
  return engine::ClockSet{clock_.ToGrid(step->from), clock_.ToGrid(step->to)};
}

Result<std::vector<JobReport>> SupervisedExecutor::WaitForEvents(Time deadline) {
  heartbeat_.Beat();
  while (reports_.empty()) {
    if (LookAtClock()) break;
    const Time now = Now();
    if (now >= deadline || stop_signal_) break;
    const bool is_idle = running_.empty() && kept_.empty();
    if (is_idle && clock_.settings().skip_waits && deadline < Time::max()) {
      clock_.SkipTo(deadline);
      break;
    }
    const Duration left = clock_.ToWall(std::min(deadline - now, kLongestWait));
    const Duration tick = is_idle ? options_.idle_tick : options_.tick;
    const Duration until_tick = std::max(last_tick_ + tick - SinceBoot(), Duration::zero());
    const Duration look_at_clock =
        std::clamp(options_.clock.settle, kShortestLookAtClock, kLookAtClock);
    const bool something =
        WaitOnce(std::min({std::max(left, Duration{1}), until_tick, look_at_clock, UntilRetry()}));
    std::uint64_t wakes = 0;
    bool woken = ::read(wake_descriptor_, &wakes, sizeof wakes) > 0;
    woken = devices_.TryAgain(watch_.Now()) || woken;
    if (something || SinceBoot() >= last_tick_ + tick) {
      LookAtPrograms();
      LookAtOrders();
      heartbeat_.At("summing up what was measured");
      last_tick_ = SinceBoot();
      options_.on_tick();
    }
    heartbeat_.At("looking at the devices");
    LookAtSites();
    options_.look_at_devices();
    // Readings of a long file are stored before more of it is read.
    const bool reads = std::any_of(running_.begin(), running_.end(), [](const auto& entry) {
      return entry.second->program->SettleAfter() == Duration::zero();
    });
    if (woken || reads) break;
  }
  return std::exchange(reports_, {});
}

// Time until a device that was set aside is due for a trial.
Duration SupervisedExecutor::UntilRetry() const {
  const Time next = devices_.NextRetry();
  if (next == Time::max()) return kLongestWait;
  return std::clamp(next - watch_.Now(), Duration::zero(), kLongestWait);
}

void SupervisedExecutor::Wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_descriptor_, &one, sizeof one);
}

}  // namespace ebb::local
