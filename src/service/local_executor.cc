// The executor of this machine, as the service makes and follows it.

#include "local/kept_pools.h"
#include "platform/path_facts.h"
#include "platform/system_clock.h"
#include "service/service.h"

namespace ebb::service {
namespace {

std::string ClockJumpText(Duration by) {
  return (by > Duration::zero() ? "ahead by " : "back by ") +
         FormatDuration(std::chrono::round<std::chrono::seconds>(std::chrono::abs(by)));
}

}  // namespace

// Pools of an earlier life keep their numbers, because the engine remembers attempts by them.
Status Service::MakeSupervisedExecutor() {
  if (options_.machine_meters) WatchMachine();
  accounting_.FollowWork(Directories());
  accounting_.FollowEnds([this](core::JobId job, const core::Attempt& attempt) {
    width_watch_.OnAttemptEnded(job, attempt);
  });
  local::SupervisedExecutorOptions& options = options_.executor;
  const core::Cluster& before = engine_->state().cluster;
  const core::Site site = options.cluster.sites.front();
  if (!options_.devices.look) local::KeepPools(before, options.cluster, options.gpus);
  options.refine = [this](core::Cluster& cluster) { core::Refine(cluster, experience_); };
  options.look_at_devices = [this] { device_inventory_.Follow(); };
  options.stored_before = [this](core::JobId job, int attempt) {
    return accounting_.StoredBefore(job, attempt);
  };
  options.end_is_stored = [this](core::JobId job, int attempt) {
    return accounting_.EndIsStored(job, attempt);
  };
  options.store = platform::AbsolutePath(options_.store).string();
  options.on_budget = [this](core::JobId job, const core::BudgetEvent& event, std::size_t heard) {
    OnBudget(job, event, heard);
  };
  options.power_of = [this](const core::Submission& submission, int pool) {
    return PowerOf(submission, pool);
  };
  options.on_power_choice = [this](const core::Submission& submission, int pool,
                                   const core::PowerChoice& choice) {
    OnPowerChoice(submission, pool, choice);
  };
  options.say = [this](core::JobId job, const std::string& what) { events_.Say(job, what); };
  options.on_tick = [this] { OnTick(); };
  options.on_clock_jump = [this](Duration by) { OnClockJump(by); };
  auto supervised =
      std::make_unique<local::SupervisedExecutor>(options, feed_, clock_, signals_, accounting_);
  supervised_ = supervised.get();
  executor_ = std::move(supervised);
  EBB_RETURN_IF_ERROR(device_inventory_.Open(supervised_->devices(), site, before));
  supervised_->UseSites(options_.sites, options_.site_feeds);
  // With another zone than before, and with several, the newest value would be that of any zone.
  const auto known = store_.Meta(store::kHomeZone);
  if (!options_.sites.empty() || (known && *known)) store_.SetMeta(store::kHomeZone, site.zone);
  return {};
}

// Meters of the machine run beside the supervisors, and each look at the GPUs reads their counters.
void Service::WatchMachine() {
  machine_watch_.emplace(options_.machine_meters(), options_.machine_interval);
  accounting_.ExpectMachine();
  options_.executor.idle_tick = options_.machine_settles_after;
  if (!options_.devices.look) return;
  options_.devices.look = [look = options_.devices.look, on_look = machine_watch_->OnLook()] {
    auto inventory = look();
    if (inventory) on_look(*inventory);
    return inventory;
  };
}

// A job whose budget asks for a pause stays held, so that no later plan runs it.
void Service::OnBudget(core::JobId job, const core::BudgetEvent& event, std::size_t heard) {
  accounting_.HeardOfBudget(job, heard);
  events_.Say(job, core::BudgetText(event));
  if (event.level != core::BudgetLevel::kReached) return;
  const JobCard* card = publisher_.Find(job);
  publisher_.counters().AddBudgetReached(event, card ? card->submission->job.tier : "");
  if (event.action == core::BudgetAction::kPause)
    holds_.Hold(job, core::BudgetText(event) + "; on hold, `ebb resume` continues it");
}

void Service::OnPowerChoice(const core::Submission& submission, int pool,
                            const core::PowerChoice& choice) {
  events_.Say(submission.job.id, "power cap: " + core::Describe(choice));
  const auto number = static_cast<std::size_t>(pool);
  power_choices_.Take(submission, executor_->cluster().pools[number].model, choice,
                      executor_->Now());
}

std::string Service::ModelOf(int pool) const {
  const core::Cluster cluster = executor_->cluster();
  const bool known = pool >= 0 && pool < std::ssize(cluster.pools);
  return known ? cluster.pools[static_cast<std::size_t>(pool)].model : "";
}

std::vector<core::JobId> Service::LiveJobs() const {
  std::vector<core::JobId> jobs;
  for (const auto& live : engine_->state().live) jobs.push_back(live->job.id);
  for (const auto& [id, held] : engine_->state().held) jobs.push_back(id);
  return jobs;
}

local::JobPower Service::PowerOf(const core::Submission& submission, int pool) const {
  const engine::LiveJob* live = FindLiveOrHeld(submission.job.id);
  const Duration remaining = live ? live->remaining : submission.job.duration;
  return power_choices_.ForStart(submission,
                                 executor_->cluster().pools[static_cast<std::size_t>(pool)],
                                 remaining, executor_->Now());
}

void Service::OnTick() {
  LookAtSweeps();
  TakeFigures();
  sweep_budgets_.Look(executor_->Running());
  if (std::chrono::steady_clock::now() >= follow_machine_at_)
    FollowMachine(options_.machine_settles_after);
  publisher_.Publish(executor_->Now());
}

void Service::OnClockJump(Duration by) {
  Log(by == Duration::zero()
          ? "the wall clock is back where it was: nothing has changed"
          : "the wall clock jumped " + ClockJumpText(by) + "; it is followed if it stays there");
}

void Service::Follow(const engine::ClockSet& set) {
  recurring_.FollowClock(set.to);
  if (set.to > set.from) pruner_.DistrustClock();
  Log("the wall clock was set " + ClockJumpText(set.to - set.from) + ", from " +
      FormatTime(set.from) + " to " + FormatTime(set.to) +
      ": what runs and what waits goes on by it");
}

void Service::LookAtSweeps() {
  if (sweeps_.empty()) return;
  std::vector<core::JobId> running;
  for (const local::SupervisedFigures& program : executor_->Running())
    running.push_back(program.job);
  sweeps_.Look(running);
}

// Settles what no job used, for intervals that are old enough that all rows of jobs have come.
void Service::FollowMachine(Duration settled_after) {
  if (!machine_watch_) return;
  const Time upto = platform::WallNow() - settled_after;
  // Nothing else may be due for storing within hours.
  if (accounting_.FollowMachine(machine_watch_->Take(), upto)) executor_->Wake();
  follow_machine_at_ = std::chrono::steady_clock::now() + options_.machine_settles_after;
}

}  // namespace ebb::service
