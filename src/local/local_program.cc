#include "local/local_program.h"

#include <csignal>

#include "base/text.h"
#include "local/attempt_outcome.h"
#include "local/job_budget.h"
#include "local/orphan.h"
#include "local/training_contract.h"

namespace ebb::local {

LocalProgram::LocalProgram(const LocalJob& local_job, int attempt_number, int in_pool,
                           std::vector<int> on_slots, JobRecords& job_records,
                           Duration grace_period)
    : job(local_job),
      attempt(attempt_number),
      pool(in_pool),
      slots(std::move(on_slots)),
      grace(grace_period),
      records_(job_records) {}

void LocalProgram::AskToEnd(Wish why) {
  if (wish_ == Wish::kNone) {
    process->child().SendSignal(SIGTERM);
    kill_at_ = std::chrono::steady_clock::now() + grace;
  }
  if (wish_ == Wish::kNone || why == Wish::kCancel) wish_ = why;
}

// Its watch has asked it to end, and kills it when its grace period is over.
void LocalProgram::OnBudget(const core::BudgetEvent& event) {
  records_.OnBudget(job.job().id, event);
  if (event.level != core::BudgetLevel::kReached || event.action == core::BudgetAction::kLog ||
      wish_ != Wish::kNone)
    return;
  wish_ = event.action == core::BudgetAction::kStop ? Wish::kBudget : Wish::kPause;
  kill_at_ = SteadyTime::max();
}

void LocalProgram::EndGrace() {
  kill_at_ = std::chrono::steady_clock::now();
  if (rest_) rest_->Hurry();
}

void LocalProgram::Begin(std::unique_ptr<MeasuredProcess> begun, Duration at) {
  process = std::move(begun);
  since_boot = at;
  oom_.emplace(process->cgroup());
}

void LocalProgram::KillIfOverdue() {
  oom_->Look();
  if (wish_ == Wish::kNone || killed_ || std::chrono::steady_clock::now() < kill_at_) return;
  process->child().SendSignal(SIGKILL);
  killed_ = true;
}

// Nothing of it may run beside the next program on its devices.
bool LocalProgram::HasEnded() {
  if (!process->child().HasEnded()) return false;
  if (!rest_) rest_.emplace(EndingOfRest(process->cgroup(), job.directory, grace));
  return rest_->Look();
}

engine::JobReport LocalProgram::EndReport(Time now, const platform::ExitStatus& status,
                                          bool stopping) const {
  engine::JobReport report{job.job().id, attempt, engine::JobPhase::kFailed, pool, now,
                           status.code,  ""};
  const std::string how = HowItEnded(status);
  const bool asked = wish_ == Wish::kPause || wish_ == Wish::kStop;
  if (wish_ == Wish::kCancel) {
    report.phase = engine::JobPhase::kCancelled;
  } else if (status.code == 0) {
    report.phase = engine::JobPhase::kSucceeded;
  } else if (wish_ == Wish::kTooLong) {
    report.detail = "ran longer than its limit of " + FormatDuration(*job.submission->run_limit) +
                    " and was ended";
  } else if (wish_ == Wish::kBudget) {
    report.detail = StoppedByText(job.submission->budget);
  } else if (status.code == kPausedExitCode && !status.by_signal) {
    report.phase = engine::JobPhase::kPaused;
  } else if (asked && SignalThatEnded(status) && job.job().pausable) {
    report.phase = engine::JobPhase::kPaused;
    report.detail = how + " before it wrote a checkpoint; goes on from its last one";
  } else if (wish_ == Wish::kStop && !job.job().pausable) {
    GoOn(report, false, "ended together with Ebb");
  } else if (wish_ == Wish::kNone && (stopping || LooksFromOutside(status, *oom_))) {
    GoOn(report, job.job().pausable, how + ", from outside");
  } else {
    report.detail = how;
  }
  return report;
}

}  // namespace ebb::local
