// Attempts that an earlier service began: the part of the executor that takes them in, and finds
// out what runs.

#include "local/files/job_folder.h"
#include "local/supervised_executor.h"
#include "platform/file_lock.h"

namespace ebb::local {
namespace {

using engine::JobPhase;
using engine::JobReport;

JobReport RunningReport(const AttemptPlan& plan) {
  return {plan.job, plan.attempt, JobPhase::kRunning, plan.pool, plan.since, 0, ""};
}

}  // namespace

Status SupervisedExecutor::Add(LocalJob job) {
  const core::JobId id = job.job().id;
  std::optional<AttemptPlan> plan;
  if (const int attempt = LastAttempt(job.directory); attempt > 0) {
    const AttemptPaths paths{job.directory, attempt};
    auto read = ReadPlan(paths.plan());
    // No program may start beside one that runs and is unknown.
    if (!read && platform::FileLock::IsHeld(paths.lock())) return Fail(std::move(read).error());
    if (!read) return AddWithoutPlan(std::move(job), attempt, read.error());
    plan = *std::move(read);
  }
  if (plan && plan->identity != job.submission->identity) {
    EBB_ASSIGN_OR_RETURN(const auto aside, SetFolderAside(job.directory));
    options_.say(id, "its folder held what another job with this number left, which is now in " +
                         aside.string());
    plan.reset();
  }
  Entry& entry = entries_[id];
  entry.local = std::move(job);
  if (!plan) return {};
  TakeInEarlier(entry, plan->attempt);
  const AttemptPaths paths{entry.local.directory, plan->attempt};
  const bool is_known = plan->pool >= 0 && plan->pool < std::ssize(devices_.pools().pools);
  if (is_known && WaitsAtSite(*plan, ReadSiteState(paths))) {
    entry.order = *std::move(plan);
    kept_.insert(id);
    return {};
  }
  // The plan is older than the start.
  if (plan->place && plan->place->order) SetBegin(*plan, paths);
  return Adopt(entry, *std::move(plan));
}

// A damaged disk costs this attempt, not the service.
Status SupervisedExecutor::AddWithoutPlan(LocalJob job, int attempt, const Error& why) {
  const core::JobId id = job.job().id;
  Entry& entry = entries_[id];
  entry.local = std::move(job);
  const std::string text =
      "what was planned for attempt " + std::to_string(attempt) +
      " cannot be read, so it counts as one that could not be started: " + why.Message();
  entry.last_report = {id, attempt, JobPhase::kStartFailed, -1, Now(), 0, text};
  options_.say(id, text);
  return {};
}

// The outcome of earlier attempts does not matter, because a later one was begun.
void SupervisedExecutor::TakeInEarlier(const Entry& entry, int last) {
  for (int attempt = 1; attempt < last; ++attempt) {
    const core::JobId job = entry.local.job().id;
    if (options_.end_is_stored(job, attempt)) continue;
    auto plan = ReadPlan(AttemptPaths{entry.local.directory, attempt}.plan());
    const core::Cluster& cluster = devices_.pools();
    if (!plan || plan->pool < 0 || plan->pool >= std::ssize(cluster.pools)) continue;
    const Pue pue = cluster.SiteOf(plan->pool).pue;
    runtime::SignalFeed& feed = FeedOf(plan->pool);
    SupervisedProgram program(entry.local, *std::move(plan), std::nullopt, pue, feed, clock_,
                              records_, options_.stored_before(job, attempt));
    auto rest = program.Settle();
    while (rest == SupervisedProgram::Rest::kReadings) rest = program.Settle();
    if (rest == SupervisedProgram::Rest::kNothing) std::ignore = program.TakeEnd();
  }
}

Status SupervisedExecutor::Adopt(Entry& entry, AttemptPlan plan) {
  const AttemptPaths paths{entry.local.directory, plan.attempt};
  if (plan.pool < 0 || plan.pool >= std::ssize(devices_.pools().pools))
    return Fail(
        {ExitCode::kUnavailable, "names a pool that is not known", paths.plan().string(), ""});
  const bool runs = platform::FileLock::IsHeld(paths.lock());
  if (runs)
    for (const std::string& gpu : plan.gpus) devices_.Adopt(gpu, plan.pool);
  FindSlots(plan);
  std::error_code ignored;
  // The service was killed between plan and supervisor: the engine gives the command again. An
  // attempt at another site may run there whatever is known here, so it is followed again.
  if (!runs && !plan.place && !std::filesystem::exists(paths.energy(), ignored) &&
      !std::filesystem::exists(paths.end(), ignored))
    return {};
  // Plans of an earlier version have no time since boot.
  if (plan.since_boot == Duration::zero())
    plan.since_boot = SinceBoot() - clock_.ToWall(Now() - plan.since);
  std::optional<platform::ProcessWatch> watch;
  if (runs) {
    EBB_ASSIGN_OR_RETURN(const int pid, SupervisorOf(paths));
    watch = platform::ProcessWatch::Open(pid);
    // While the supervisor holds the lock, its pid cannot belong to another process.
    if (!platform::FileLock::IsHeld(paths.lock())) watch.reset();
  }
  Watch(entry, std::move(plan), std::move(watch));
  entry.adopted = true;
  return {};
}

// A program of an earlier life may be frozen, and nobody remembers the request.
void SupervisedExecutor::FindFrozen() {
  for (const auto& [job, entry] : running_) {
    if (!std::exchange(entry->adopted, false) || !entry->local.job().freeze) continue;
    if (!entry->program->IsFrozen()) continue;
    entry->last_report->phase = JobPhase::kFrozen;
    entry->last_report->since = Now();
    entry->frozen_since = SinceBoot();
  }
}

void SupervisedExecutor::Watch(Entry& entry, AttemptPlan plan,
                               std::optional<platform::ProcessWatch> watch) {
  const core::JobId job = plan.job;
  const int attempt = plan.attempt;
  const Pue pue = devices_.pools().SiteOf(plan.pool).pue;
  runtime::SignalFeed& feed = FeedOf(plan.pool);
  entry.last_report = RunningReport(plan);
  entry.adopted = false;
  entry.frozen_since.reset();
  entry.frozen = {};
  entry.program = std::make_unique<SupervisedProgram>(
      entry.local, std::move(plan), std::move(watch), pue, feed, clock_, records_,
      options_.stored_before(job, attempt), options_.clock);
  running_[job] = &entry;
}

}  // namespace ebb::local
