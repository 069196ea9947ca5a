#include "app/jobs/job_follower.h"

#include <chrono>

#include "app/jobs/stored_run.h"
#include "platform/system_clock.h"
#include "report/run/run_directory.h"

namespace ebb::app {
JobFollower::JobFollower(const local::AttemptPaths& paths, const local::AttemptPlan& plan,
                         core::RunSpec spec)
    : directory_(paths.directory),
      open_(directory_.parent_path()),
      plan_(plan),
      spec_(std::move(spec)),
      tail_(directory_ / report::kProgressFile) {}

// The run in the store, with the earlier attempts. It may include a part of this attempt.
Result<core::RunRecord> JobFollower::StoredBefore() const {
  EBB_ASSIGN_OR_RETURN(store::Database database,
                       store::Database::Open(plan_.store, store::Database::Mode::kReadUnchecked));
  EBB_ASSIGN_OR_RETURN(core::RunRecord run, StoredRun(database, plan_.job));
  std::erase_if(run.attempts, [&](const auto& a) { return a.number >= plan_.attempt; });
  std::erase_if(run.ledger, [&](const auto& row) { return row.attempt >= plan_.attempt; });
  return run;
}

void JobFollower::Open() {
  core::RunRecord before;
  if (auto stored = StoredBefore()) {
    before = *std::move(stored);
    spec_.policy = before.spec.policy;
    spec_.threshold = before.spec.threshold;
    spec_.signal = before.spec.signal;
  } else {
    notes_.push_back("trackers know this attempt alone: " + stored.error().Message());
  }
  core::Tracking tracking = plan_.tracking;
  if (const Status checked = CheckTrackers(tracking); !checked) {
    notes_.push_back("nothing is sent to MLflow: " + checked.error().Message());
    tracking.mlflow.clear();
  }
  mlflow_ = !tracking.mlflow.empty();
  Mark(core::AttemptOutcome::kRunning, false);
  trackers_ = std::make_unique<RunTrackers>(tracking, spec_, before, directory_);
}

// Records if MLflow must still be told more about this run, in case this process is killed. `told`:
// MLflow has received the outcome of the attempt. If this cannot be written, MLflow may never learn
// of the run's end.
void JobFollower::Mark(core::AttemptOutcome outcome, bool told) {
  if (!mlflow_) return;
  const bool last =
      outcome == core::AttemptOutcome::kDone || outcome == core::AttemptOutcome::kFailed ||
      outcome == core::AttemptOutcome::kKilled || outcome == core::AttemptOutcome::kStoppedByBudget;
  if (told && last)
    open_.Remove(plan_.job);
  else if (const Status marked = open_.Put(plan_.job, {plan_.attempt, outcome}); !marked)
    notes_.push_back(marked.error().Message());
}

Status JobFollower::OnBegin(const core::Attempt& attempt) {
  Open();
  trackers_->OnBegin(attempt);
  return {};
}

Status JobFollower::OnRows(std::span<const core::LedgerRow> rows) {
  rows_.insert(rows_.end(), rows.begin(), rows.end());
  trackers_->OnRows(rows);
  return {};
}

bool JobFollower::OnTick(const local::LiveFigures&) {
  trackers_->OnProgress(tail_.Poll());
  KeepNotes();
  return false;
}

void JobFollower::KeepNotes() {
  for (std::string& note : trackers_->TakeNotes()) notes_.push_back(std::move(note));
}

// The run with this attempt and with the signal as known now.
core::RunRecord JobFollower::WholeRun(const core::Attempt& attempt) const {
  core::RunRecord run = StoredBefore().value_or(core::RunRecord());
  const core::RunSpec stored = run.spec;
  run.spec = spec_;
  run.spec.start_by = stored.start_by;
  if (run.spec.start_by) run.spec.start_by = std::max(*run.spec.start_by, spec_.submitted);
  run.spec.duration = stored.duration;
  run.attempts.push_back(attempt);
  run.ledger.insert(run.ledger.end(), rows_.begin(), rows_.end());
  return run;
}

std::vector<std::string> JobFollower::OnEnd(const core::Attempt& attempt) {
  do {
    trackers_->OnProgress(tail_.Poll());
  } while (tail_.has_more());
  trackers_->OnEnd(attempt, report::Summarise(WholeRun(attempt)));
  Mark(attempt.outcome, trackers_->WaitForEnd());
  KeepNotes();
  return notes_;
}

void JobFollower::OnFailure() {
  Open();
  trackers_->OnFailure(platform::WallNow());
  Mark(core::AttemptOutcome::kNotStarted, trackers_->WaitForEnd());
}

}  // namespace ebb::app
