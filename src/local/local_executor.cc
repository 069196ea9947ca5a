#include "local/local_executor.h"

#include <algorithm>
#include <csignal>
#include <set>

#include "base/text.h"
#include "local/attempt_outcome.h"
#include "local/job_budget.h"
#include "local/job_start.h"
#include "local/leftover.h"
#include "local/local_program.h"
#include "local/shared_machine.h"
#include "platform/process_table.h"

namespace ebb::local {
namespace {

using engine::JobPhase;
using engine::JobReport;

// Longer waits are cut, so that arithmetic with Time::max() cannot overflow.
constexpr Duration kLongestWait = std::chrono::hours{1};

bool HasEnded(JobPhase phase) {
  return phase == JobPhase::kSucceeded || phase == JobPhase::kFailed ||
         phase == JobPhase::kCancelled;
}

Error NotKnown(core::JobId job) {
  return {ExitCode::kUsage, "is not known", "job " + std::to_string(job), ""};
}

// An earlier attempt was, and then its executor died before it could say so.
bool WasStopped(const runtime::BudgetWatch::Terms& terms) {
  return terms.budget.action != core::BudgetAction::kLog &&
         core::StoppedBy({terms.budget, terms.fired}, terms.budget);
}

}  // namespace

LocalExecutor::LocalExecutor(LocalExecutorOptions options, runtime::SignalFeed& feed,
                             runtime::GridClock& clock, platform::ProcessSignals& signals,
                             JobRecords& records)
    : options_(std::move(options)),
      feed_(feed),
      clock_(clock),
      signals_(signals),
      records_(records),
      watch_(clock.wall(), options_.clock) {
  options_.sampler.scope = core::MeterScope::kProcessTree;
}

LocalExecutor::~LocalExecutor() { PauseAll(); }

// Beginnings -------------------------------------------------------------------------------

Status LocalExecutor::Add(LocalJob job) {
  const core::JobId id = job.job().id;
  EBB_ASSIGN_OR_RETURN(auto state, ReadJobState(StateFileIn(job.directory), id));
  Entry& entry = entries_[id];
  entry = {std::move(job), std::move(state), false};
  if (entry.state && entry.state->report.phase == JobPhase::kRunning)
    return EndLeftover(entry.local, options_.grace, *entry.state);
  return {};
}

Result<LocalExecutor::Entry*> LocalExecutor::Find(core::JobId job) {
  const auto found = entries_.find(job);
  if (found == entries_.end()) return Fail(NotKnown(job));
  return &found->second;
}

Result<std::vector<JobReport>> LocalExecutor::Observe() {
  std::vector<JobReport> reports;
  for (const auto& [job, entry] : entries_) {
    if (entry.state && !entry.forgotten) reports.push_back(entry.state->report);
  }
  return reports;
}

void LocalExecutor::Forget(core::JobId job) {
  const auto found = entries_.find(job);
  if (found == entries_.end() || !found->second.state) return;
  if (HasEnded(found->second.state->report.phase)) found->second.forgotten = true;
}

// Commands ---------------------------------------------------------------------------------

Status LocalExecutor::Execute(const engine::Command& command) {
  if (const auto* start = std::get_if<engine::StartJob>(&command)) return Start(*start);
  if (const auto* pause = std::get_if<engine::PauseJob>(&command))
    return RequestEnd(pause->job, pause->attempt, false);
  const auto& cancel = std::get<engine::CancelJob>(command);
  return RequestEnd(cancel.job, cancel.attempt, true);
}

Status LocalExecutor::Start(const engine::StartJob& command) {
  EBB_ASSIGN_OR_RETURN(Entry* const entry, Find(command.job));
  if (entry->state && entry->state->report.attempt >= command.attempt) return {};
  const core::Job& job = entry->local.job();
  if (programs_.contains(command.job))
    return Fail({ExitCode::kUnavailable, "an earlier attempt still runs", job.name, ""});
  if (command.pool < 0 || command.pool >= std::ssize(options_.cluster.pools))
    return Fail({ExitCode::kInfeasible, "does not fit these devices", job.name, ""});
  const auto& pool = options_.cluster.pools[static_cast<std::size_t>(command.pool)];
  std::set<int> taken;
  for (const auto& [other, program] : programs_) {
    if (program->pool == command.pool) taken.insert(program->slots.begin(), program->slots.end());
  }
  EBB_ASSIGN_OR_RETURN(std::vector<int> slots,
                       SlotsFor(job, options_.cluster, command.pool, pool.count, taken));
  return Begin(*entry, command, std::move(slots));
}

AttemptOptions LocalExecutor::AttemptFor(const Entry& entry, const engine::StartJob& command,
                                         const std::vector<int>& slots) {
  const LocalJob& local = entry.local;
  AttemptOptions attempt;
  attempt.child = {
      local.submission->command,
      ContractEnvironment(ContractFor(local, local.job().name, command.attempt, feed_, Now())),
      platform::ChildOptions::Background{local.directory /
                                         ("attempt-" + std::to_string(command.attempt) + ".log")}};
  for (auto& variable : DeviceEnvironment(GpusOf(options_.gpus, command.pool, slots)))
    attempt.child.environment.push_back(std::move(variable));
  attempt.number = command.attempt;
  attempt.pue = options_.cluster.SiteOf(command.pool).pue;
  attempt.sampler = options_.sampler;
  return attempt;
}

// The state is on disk before the program runs: a crash in between leaves an attempt that is known.
Status LocalExecutor::Begin(Entry& entry, const engine::StartJob& command, std::vector<int> slots) {
  const core::JobId job = command.job;
  AttemptOptions attempt = AttemptFor(entry, command, slots);
  EBB_ASSIGN_OR_RETURN(attempt.budget, options_.budget(job));
  meter::MeterOptions meters = options_.meters;
  SeeAs(attempt.child.environment, meters);
  const JobReport running{job, command.attempt, JobPhase::kRunning, command.pool, Now(), 0, ""};
  if (attempt.budget) {
    attempt.budget->budget.grace = options_.grace;
    if (WasStopped(*attempt.budget)) {
      JobReport failed = running;
      failed.phase = JobPhase::kFailed;
      failed.detail = StoppedByText(attempt.budget->budget);
      Report(entry, std::move(failed), 0, "");
      return {};
    }
  }
  EBB_RETURN_IF_ERROR(WriteJobState(StateFileIn(entry.local.directory), {running, 0, ""}));
  entry.forgotten = false;
  auto program = std::make_unique<LocalProgram>(entry.local, command.attempt, command.pool,
                                                std::move(slots), records_, options_.grace);
  auto process = MeasuredProcess::Start(
      attempt,
      MakeSharedMeter(Machine().meter(), meter::VisibleGpus(meters), ReservedBy(program->slots)),
      feed_, clock_, *program);
  if (!process) {
    JobReport failed = running;
    failed.exit_code = static_cast<int>(process.error().code);
    failed.phase = PhaseOfNotStarted(failed.exit_code);
    failed.detail = process.error().Message();
    Report(entry, std::move(failed), 0, "");
    return {};
  }
  program->Begin(*std::move(process), clock_.wall().SinceBoot());
  const pid_t pid = program->process->child().pid();
  programs_[job] = std::move(program);
  Report(entry, running, pid, platform::ProcessIdentity(pid));
  return {};
}

SharedMachine& LocalExecutor::Machine() {
  if (!machine_) {
    const Pue pue = options_.cluster.sites.empty() ? Pue{} : options_.cluster.sites[0].pue;
    machine_ = std::make_unique<SharedMachine>(
        SharedMachineOptions{options_.meters, options_.sampler, options_.idle, pue}, feed_, clock_,
        records_);
  }
  return *machine_;
}

double LocalExecutor::ReservedBy(const std::vector<int>& slots) const {
  int all = 0;
  for (const core::DevicePool& pool : options_.cluster.pools) all += pool.count;
  return all > 0 ? static_cast<double>(slots.size()) / all : 0;
}

Status LocalExecutor::RequestEnd(core::JobId job, int attempt, bool cancel) {
  EBB_ASSIGN_OR_RETURN(Entry* const entry, Find(job));
  const auto found = programs_.find(job);
  if (found != programs_.end() && found->second->attempt == attempt) {
    found->second->AskToEnd(cancel ? LocalProgram::Wish::kCancel : LocalProgram::Wish::kPause);
    return {};
  }
  // Nothing runs that could be cancelled, and the engine waits to hear that.
  if (cancel && found == programs_.end() && entry->state && !HasEnded(entry->state->report.phase)) {
    JobReport report = entry->state->report;
    report.phase = JobPhase::kCancelled;
    report.attempt = std::max(report.attempt, attempt);
    report.since = Now();
    Report(*entry, std::move(report), 0, "");
  }
  return {};
}

void LocalExecutor::Report(Entry& entry, JobReport report, int pid, std::string identity) {
  entry.state = JobState{report, pid, std::move(identity)};
  // A full disk must not end what runs: the next executor then knows less, and says so.
  std::ignore = WriteJobState(StateFileIn(entry.local.directory), *entry.state);
  reports_.push_back(std::move(report));
}

// Ends -------------------------------------------------------------------------------------

// The last sample is taken while the kernel still has the program's times.
void LocalExecutor::TakeEnd(LocalProgram& program) {
  program.process->StopMeasuring();
  const auto status = program.process->child().TakeEnd();
  const platform::ExitStatus end = status.value_or(platform::ExitStatus{128 + SIGKILL, true});
  JobReport report = program.EndReport(Now(), end, stop_signal_.has_value());
  records_.End(report.job, program.process->Finish(end));
  Entry& entry = entries_.at(report.job);
  programs_.erase(report.job);
  Report(entry, std::move(report), 0, "");
}

void LocalExecutor::LookAtPrograms() {
  std::vector<LocalProgram*> ended;
  std::vector<pid_t> pids;
  for (const auto& [job, program] : programs_) {
    const auto& limit = program->job.submission->run_limit;
    const Duration ran = clock_.wall().SinceBoot() - program->since_boot;
    if (limit && clock_.ToGrid(ran) > *limit) program->AskToEnd(LocalProgram::Wish::kTooLong);
    program->KillIfOverdue();
    if (program->HasEnded())
      ended.push_back(program.get());
    else
      program->process->Tick();
    pids.push_back(program->process->child().pid());
  }
  for (LocalProgram* program : ended) TakeEnd(*program);
  if (machine_) {
    if (programs_.empty())
      machine_->Flush();
    else
      machine_->Tick();
  }
  platform::ReapAdopted(pids);
}

std::optional<engine::ClockSet> LocalExecutor::TakeClockSet() {
  const auto step = watch_.TakeStep();
  if (!step) return std::nullopt;
  return engine::ClockSet{clock_.ToGrid(step->from), clock_.ToGrid(step->to)};
}

Result<std::vector<JobReport>> LocalExecutor::WaitForEvents(Time deadline) {
  while (reports_.empty()) {
    if (watch_.Look()) break;
    const Time now = Now();
    if (now >= deadline || stop_signal_) break;
    if (programs_.empty() && clock_.settings().skip_waits && deadline < Time::max()) {
      clock_.SkipTo(deadline);
      break;
    }
    const Duration left = deadline - now > kLongestWait ? kLongestWait : deadline - now;
    const auto received =
        signals_.Wait(std::clamp(clock_.ToWall(left), Duration{1}, options_.tick));
    if (received && platform::IsStopRequest(received->number)) stop_signal_ = received->number;
    LookAtPrograms();
    if (options_.on_tick()) break;
  }
  return std::exchange(reports_, {});
}

void LocalExecutor::PauseAll() {
  for (const auto& [job, program] : programs_) program->AskToEnd(LocalProgram::Wish::kStop);
  while (!programs_.empty()) {
    LookAtPrograms();
    // A second request to stop does not wait for the grace period.
    const auto received =
        programs_.empty() ? std::nullopt : signals_.Wait(std::min(options_.tick, Duration{100}));
    if (!received || !platform::IsStopRequest(received->number)) continue;
    for (const auto& [job, program] : programs_) program->EndGrace();
  }
}

std::vector<RunningJob> LocalExecutor::Running() const {
  std::vector<RunningJob> running;
  for (const auto& [job, program] : programs_)
    running.push_back({job, program->attempt, program->slots, program->process->figures()});
  return running;
}

}  // namespace ebb::local
