#include "local/local_program.h"

#include <csignal>

#include "base/text.h"
#include "local/job_budget.h"
#include "local/training_contract.h"

namespace ebb::local {

LocalProgram::LocalProgram(const LocalJob& local_job, int attempt_number, int in_pool,
                           std::vector<int> on_slots, JobRecords& job_records)
    : job(local_job),
      attempt(attempt_number),
      pool(in_pool),
      slots(std::move(on_slots)),
      records_(job_records) {}

void LocalProgram::AskToEnd(Wish why, Duration grace) {
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

void LocalProgram::EndGrace() { kill_at_ = std::chrono::steady_clock::now(); }

void LocalProgram::KillIfOverdue() {
  if (wish_ == Wish::kNone || killed_ || std::chrono::steady_clock::now() < kill_at_) return;
  process->child().SendSignal(SIGKILL);
  killed_ = true;
}

engine::JobReport LocalProgram::EndReport(Time now, const platform::ExitStatus& status) const {
  engine::JobReport report{job.job().id, attempt, engine::JobPhase::kFailed, pool, now,
                           status.code,  ""};
  const std::string how = status.by_signal
                              ? std::string("ended by ") + platform::SignalName(status.code - 128)
                              : "exit code " + std::to_string(status.code);
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
  } else if (asked && status.by_signal && job.job().pausable) {
    report.phase = engine::JobPhase::kPaused;
    report.detail = how + " before it wrote a checkpoint; goes on from its last one";
  } else if (wish_ == Wish::kStop && !job.job().pausable) {
    report.phase = engine::JobPhase::kStartFailed;
    report.detail = "ended together with Ebb; starts again from its beginning";
  } else {
    report.detail = how;
  }
  return report;
}

}  // namespace ebb::local
