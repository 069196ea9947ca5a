#include "local/supervised_program.h"

#include <algorithm>
#include <csignal>
#include <thread>

#include "base/text.h"
#include "local/job_budget.h"
#include "local/training_contract.h"

namespace ebb::local {
namespace {

using engine::JobPhase;

Time WallNow() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

std::string HowItEnded(const platform::ExitStatus& status) {
  return status.by_signal ? std::string("ended by ") + platform::SignalName(status.code - 128)
                          : "exit code " + std::to_string(status.code);
}

}  // namespace

SupervisedProgram::SupervisedProgram(LocalJob job, AttemptPlan plan,
                                     std::optional<platform::ProcessWatch> watch, Pue pue,
                                     runtime::SignalFeed& feed, const runtime::GridClock& clock,
                                     JobRecords& records, StoredBefore stored)
    : job_(std::move(job)),
      plan_(std::move(plan)),
      paths_{job_.directory, plan_.attempt},
      watch_(std::move(watch)),
      feed_(feed),
      clock_(clock),
      records_(records),
      stored_(std::move(stored.up_to)),
      tail_(paths_.energy()),
      accountant_(feed, clock, plan_.attempt, pue),
      budget_events_heard_(stored.budget_events),
      begun_(!stored_.empty()),
      wish_(ReadAsked(paths_)) {
  for (const core::BudgetEvent& event : ReadBudgetEvents(job_.directory)) Explain(event);
}

// The supervisor has asked the program to end: what its end will mean.
void SupervisedProgram::Explain(const core::BudgetEvent& event) {
  const bool ends =
      event.level == core::BudgetLevel::kReached || event.level == core::BudgetLevel::kKilled;
  if (wish_ || event.attempt != plan_.attempt || !ends) return;
  if (event.action == core::BudgetAction::kStop) wish_ = EndWish::kBudget;
  if (event.action == core::BudgetAction::kPause) wish_ = EndWish::kPause;
}

std::vector<core::BudgetEvent> SupervisedProgram::TakeBudgetEvents() {
  if (job_.submission->budget.empty()) return {};
  std::vector<core::BudgetEvent> events = ReadBudgetEvents(job_.directory);
  const std::size_t heard = std::min(budget_events_heard_, events.size());
  events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(heard));
  budget_events_heard_ = heard + events.size();
  for (const core::BudgetEvent& event : events) Explain(event);
  return events;
}

LiveFigures SupervisedProgram::figures() const {
  const Time begin = tail_.header() ? tail_.header()->wall_begin : WallNow();
  return {WallNow() - begin, accountant_.energy(), accountant_.emissions(), accountant_.power()};
}

// What an earlier life of the service stored ends with a reading, never within one.
void SupervisedProgram::Account(std::vector<core::EnergyReading> readings) {
  std::erase_if(readings, [&](const core::EnergyReading& reading) {
    const auto stored = stored_.find(reading.device);
    return stored != stored_.end() && reading.wall.end <= stored->second;
  });
  Store(accountant_.Add(readings));
}

void SupervisedProgram::Store(std::vector<core::LedgerRow> rows) {
  unkept_.insert(unkept_.end(), std::make_move_iterator(rows.begin()),
                 std::make_move_iterator(rows.end()));
  if (unkept_.empty()) return;
  if (const Status kept = records_.Rows(job_.job().id, unkept_))
    unkept_.clear();
  else
    unkept_why_ = kept.error().Message();
}

void SupervisedProgram::Tick() {
  std::vector<core::EnergyReading> readings = tail_.Read();
  if (!begun_ && tail_.header()) {
    core::Attempt attempt;
    attempt.number = plan_.attempt;
    attempt.wall = {tail_.header()->wall_begin, tail_.header()->wall_begin};
    attempt.grid = clock_.ToGrid(attempt.wall);
    begun_ = records_.Begin(job_.job().id, attempt).has_value();
  }
  Account(std::move(readings));
}

bool SupervisedProgram::ProgramIsGone() const {
  if (HasEnded()) return true;
  const auto& header = tail_.header();
  if (!header) return false;
  // Nameless from the beginning where it was quicker than its supervisor.
  const std::string identity = platform::ProcessIdentity(header->program_pid);
  return identity.empty() || identity != header->program_identity;
}

// What ended before it was asked ended by itself: the wish must not explain it.
void SupervisedProgram::AskToEnd(EndWish wish) {
  if (!tail_.header()) Tick();
  if (ProgramIsGone()) return;
  if (!wish_ || wish == EndWish::kCancel) {
    wish_ = wish;
    // On a full disk the reason is known to this life of the service only.
    std::ignore = WriteAsked(paths_, wish);
  }
  if (watch_) watch_->SendSignal(SIGTERM);
}

void SupervisedProgram::Freeze(bool frozen) {
  if (watch_) watch_->SendSignal(frozen ? SIGUSR1 : SIGUSR2);
}

engine::JobReport SupervisedProgram::ReportOf(const std::optional<AttemptEnd>& end) const {
  engine::JobReport report{plan_.job, plan_.attempt, JobPhase::kFailed, plan_.pool, clock_.Now(), 0,
                           ""};
  if (wish_ == EndWish::kCancel) {
    report.phase = JobPhase::kCancelled;
    if (end) report.exit_code = end->status.code;
    return report;
  }
  if (!end) {
    const bool pausable = job_.job().pausable && tail_.header();
    report.phase = pausable ? JobPhase::kPaused : JobPhase::kStartFailed;
    report.detail = pausable ? "its supervisor was killed; goes on from its last checkpoint"
                             : "its supervisor was killed; starts again from its beginning";
    return report;
  }
  const platform::ExitStatus& status = end->status;
  report.exit_code = status.code;
  if (!end->started) {
    report.phase = JobPhase::kStartFailed;
    report.detail = end->detail;
  } else if (status.code == 0) {
    report.phase = JobPhase::kSucceeded;
  } else if (wish_ == EndWish::kTooLong) {
    report.detail = "ran longer than its limit of " + FormatDuration(*job_.submission->run_limit) +
                    " and was ended";
  } else if (wish_ == EndWish::kBudget) {
    report.detail = StoppedByText(job_.submission->budget);
  } else if (status.code == kPausedExitCode && !status.by_signal) {
    report.phase = JobPhase::kPaused;
  } else if (wish_ == EndWish::kPause && status.by_signal && job_.job().pausable) {
    report.phase = JobPhase::kPaused;
    report.detail = HowItEnded(status) + " before it wrote a checkpoint; goes on from its last one";
  } else {
    report.detail = HowItEnded(status);
  }
  return report;
}

// Nobody measures it any more, and nothing may run beside its next attempt. The kernel has asked it
// to end when its supervisor died.
void SupervisedProgram::EndOrphan() const {
  if (!tail_.header()) return;
  const auto& [pid, identity, begin, cgroup] = *tail_.header();
  const auto deadline = std::chrono::steady_clock::now() + plan_.grace;
  // What is frozen hears nothing.
  if (platform::ProcessIdentity(pid) == identity) ::kill(-pid, SIGCONT);
  while (platform::ProcessIdentity(pid) == identity) {
    if (std::chrono::steady_clock::now() >= deadline) ::kill(-pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  meter::Cgroup::End(cgroup);  // what left the process group
}

engine::JobReport SupervisedProgram::TakeEnd(std::vector<std::string> warnings) {
  Tick();
  Store(accountant_.Flush());
  auto end = ReadEnd(paths_);
  std::optional<AttemptEnd> known = end ? *std::move(end) : std::nullopt;
  if (!known) EndOrphan();
  AttemptResult result;
  if (known) {
    result = {known->attempt, known->warnings};
    if (wish_ == EndWish::kBudget && known->status.code != 0)
      result.attempt.outcome = core::AttemptOutcome::kStoppedByBudget;
  } else {
    result.attempt.number = plan_.attempt;
    result.attempt.outcome = core::AttemptOutcome::kKilled;
    result.attempt.wall = {tail_.header() ? tail_.header()->wall_begin : WallNow(), WallNow()};
    result.warnings.push_back(
        "the supervisor of this attempt was killed: what the program used after the last sample "
        "is not known");
  }
  result.attempt.grid = clock_.ToGrid(result.attempt.wall);
  result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  if (tail_.damaged_lines() > 0)
    result.warnings.push_back(std::to_string(tail_.damaged_lines()) +
                              " damaged lines in its energy file were left out");
  if (!unkept_.empty())
    result.warnings.push_back(std::to_string(unkept_.size()) +
                              " ledger rows could not be stored: " + unkept_why_);
  records_.End(plan_.job, result);
  return ReportOf(known);
}

}  // namespace ebb::local
